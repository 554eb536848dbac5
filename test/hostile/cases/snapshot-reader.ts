import { get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { CaseContext } from "../hostile-case.ts";

/**
 * An event id that is later than every event. A stream cannot resume after it and begins with a snapshot of all locks.
 */
export const UNKNOWN_EVENT_ID = "9999999999999-0";
const RETRY_MS = 500;
const NOT_EVENTS = new Set(["hello", "reset", "snapshot", "gap"]);

/**
 * Reads a snapshot of all locks as fast as possible and then waits for an event. It reconnects only if the server
 * rejects the stream. Its API key differs from that of the idle readers.
 *
 * @returns a description of the fault, or undefined if all locks and an event have arrived
 */
export async function readSnapshot(
  context: CaseContext,
  prefix: string,
  count: number,
): Promise<string | undefined> {
  for (;;) {
    const response = await openStream(context);
    if (response === undefined) return "the honest reader got no response";
    if (response.statusCode !== 429 && response.statusCode !== 503)
      return await readToEvent(response, prefix, count);
    response.destroy();
    if (context.over.aborted) return `the honest reader was refused (${response.statusCode}) to the end`;
    await sleep(RETRY_MS);
  }
}

function openStream({ url, keys, over }: CaseContext): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${keys.application.secret}`, "last-event-id": UNKNOWN_EVENT_ID };
    get(`${url}/api/v1/events`, { headers, signal: over }, resolve).on("error", () => resolve(undefined));
  });
}

async function readToEvent(
  response: IncomingMessage,
  prefix: string,
  count: number,
): Promise<string | undefined> {
  const seen = new Set<string>();
  let rest = "";
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      const messages = (rest + chunk).split("\n\n");
      rest = messages.pop() ?? "";
      for (const message of messages) {
        const { type, data } = parseMessage(message);
        if (type === "reset") seen.clear();
        if (type === "snapshot") for (const key of readKeys(data)) if (key.startsWith(prefix)) seen.add(key);
        if (type !== undefined && !NOT_EVENTS.has(type) && seen.size >= count) return undefined;
      }
    }
  } catch {
    // The server closed the connection. The message below contains the number of locks read so far.
  }
  return `the honest reader was disconnected after ${seen.size} of ${count} locks`;
}

function parseMessage(message: string) {
  const lines = message.split("\n");
  const find = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { type: find("event"), data: find("data") };
}

function readKeys(data: string | undefined): string[] {
  const { items } = JSON.parse(data ?? "{}") as { items?: { key: string }[] };
  return (items ?? []).map(({ key }) => key);
}
