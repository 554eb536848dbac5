// Prints the lock events of Lockkeeper as they happen, one line each: id, type and JSON.
//
//   export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
//   node watch-events.mts                                        # all events
//   node watch-events.mts 'key=lock:orders:*&type=expired,gap'   # a filter, as a query string
//
// Reconnects after every failure and resumes after the last event that it printed. A `gap` or `reset` line means that
// events were missed; `snapshot` lines with the held locks follow a `reset`. Events without an id (printed as `-`) are
// not replayed after a reconnect. Runs on Node 22.18 or newer, on Node 20.9 as `npx tsx watch-events.mts`.
import { setTimeout as sleep } from "node:timers/promises";

const { LOCKKEEPER_URL, LOCKKEEPER_API_KEY } = process.env;
const url = `${LOCKKEEPER_URL}/api/v1/events?${process.argv[2] ?? ""}`;
const SILENCE_MS = 15_000; // the server sends a keep-alive every 5 s
const PAUSE_MIN_MS = 1000;
const PAUSE_MAX_MS = 30_000;
let lastId = "";
let pauseMs = PAUSE_MIN_MS;

function handleMessage(lines: string[]): void {
  const read = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, event, data] = [read("id"), read("event"), read("data")];
  if (event === "hello" || event === "reset") {
    pauseMs = PAUSE_MIN_MS; // The stream works. Before the first event, resume where the stream began.
    if (lastId === "") lastId = JSON.parse(data ?? "{}").newest ?? "0-0";
  }
  if (event !== undefined && event !== "hello") console.log(id ?? "-", event, data);
  lastId = id ?? lastId; // also without an event: the id of one that was sent before it had an id
}

async function readStream(): Promise<void> {
  const connection = new AbortController();
  const silence = setTimeout(() => connection.abort(new Error("no data for 15 s")), SILENCE_MS);
  try {
    const headers = {
      authorization: `Bearer ${LOCKKEEPER_API_KEY}`,
      ...(lastId && { "last-event-id": lastId }),
    };
    const response = await fetch(url, { headers, signal: connection.signal });
    const { status, body } = response;
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      console.error(`watch-events: refused: ${await response.text()}`);
      process.exit(1);
    }
    if (status !== 200 || body === null) throw new Error(`HTTP status ${status}`);
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      silence.refresh();
      const messages = (rest + text).split("\n\n");
      rest = messages.pop() ?? ""; // Half a message is dropped with the connection, and sent again.
      for (const message of messages) handleMessage(message.split("\n"));
    }
  } finally {
    clearTimeout(silence);
    connection.abort();
  }
}

for (;;) {
  const reason = await readStream().then(() => "the stream ended", String);
  console.error(`watch-events: disconnected (${reason}), next attempt in ${pauseMs / 1000} s`);
  await sleep(pauseMs);
  pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
}
