/**
 * Simulates tabs without browsers: live streams, each on its own connection. They parse the messages only as far as
 * needed to detect the row of a probe.
 *
 * Usage: `node --import tsx tabs.ts PORT API_KEY`
 */
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { getMonotonicMs } from "../core/hand-off-messages.ts";
import type { TabsRequest, TabsResponse, TabView } from "../watch/tabs-messages.ts";

const [port = "", secret = ""] = process.argv.slice(2);
const headers = { authorization: `Bearer ${secret}` };
const END = "\n\n";

let tabs: ClientRequest[] = [];
let bytes = 0;
let messages = 0;

function open(view: TabView): Promise<void> {
  return new Promise((resolve, reject) => {
    const url = `http://127.0.0.1:${port}/api/v1/live?${view.query}`;
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 200) read(response, view, resolve);
      else reject(new Error(`GET /live answered ${response.statusCode}`));
    });
    request.on("error", reject);
    tabs.push(request);
  });
}

function read(response: IncomingMessage, view: TabView, onWindow: () => void): void {
  // latin1 is the fastest encoding, and the strings to find are ASCII.
  response.setEncoding("latin1");
  response.on("error", () => undefined);
  const seen = createProbeReader(view.probe);
  let text = "";
  response.on("data", (chunk: string) => {
    bytes += chunk.length;
    const from = Math.max(0, text.length - END.length);
    text += chunk;
    if (text.indexOf(END, from) < 0) return;
    const parts = text.split(END);
    text = parts.pop() ?? "";
    messages += parts.length;
    for (const message of parts) {
      if (message.startsWith("event: window")) onWindow();
      seen(message);
    }
  });
}

/** Creates a function that checks a message for the row of the probe and reports each higher count. */
function createProbeReader(probe: string | undefined): (message: string) => void {
  if (probe === undefined) return () => undefined;
  const row = `"key":${JSON.stringify(probe)}`;
  let last = 0;
  return (message) => {
    if (!message.startsWith("event: rows") && !message.startsWith("event: window")) return;
    const at = message.indexOf(row);
    if (at < 0) return;
    const count = Number(/"holders":\[\{[^}]*?"count":(\d+)/.exec(message.slice(at, at + 2000))?.[1]);
    if (!(count > last)) return;
    last = count;
    sendMessage({ is: "seen", probe, count, at: getMonotonicMs() });
  };
}

function sendMessage(words: TabsResponse): void {
  process.send?.(words);
}

function report(): TabsResponse {
  const { user, system } = process.cpuUsage();
  const said = { bytes, messages };
  bytes = 0;
  messages = 0;
  return { is: "report", open: tabs.length, ...said, cpuMicros: user + system };
}

process.on("message", async (ask: TabsRequest) => {
  if (ask.do === "open") await Promise.all(ask.views.map(open));
  if (ask.do === "close") {
    for (const tab of tabs) tab.destroy();
    tabs = [];
  }
  sendMessage(report());
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
