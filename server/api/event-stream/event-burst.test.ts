import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RETENTION, Journal } from "../../history/journal.ts";
import type { Target } from "../../targets/target.ts";
import { UNLIMITED_CPU } from "../http/cpu-budgets.ts";
import { createSink } from "../node-adapter.ts";
import { EventStream } from "./event-stream.ts";

const EVENT = {
  target: "a",
  type: "released",
  owner: "o".repeat(300),
  at: 1,
  observed: "exact",
} as const;
/** Number of events in a burst, about 3 MB in total. */
const BURST = 8000;
const BUFFERED_BYTES_MAX = 2 * 1024 * 1024;

const WAIT = { timeout: 15_000, interval: 5 };

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Opens an event stream to a client over TCP. */
async function openStream(journal: Journal) {
  const target = { journal, watcher: { clock: { now: () => 1 } } } as unknown as Target;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const request = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[, outgoing], [response]] = (await Promise.all([
    once(server, "request").then((args) => {
      (args[1] as ServerResponse).flushHeaders();
      return args;
    }),
    once(request, "response"),
  ])) as [[unknown, ServerResponse], [IncomingMessage]];
  closers.push(() => {
    request.destroy();
    server.closeAllConnections();
    server.close();
  });
  const sink = createSink(outgoing);
  const stream = new EventStream(target, sink, {
    isWanted: () => true,
    allowedKeys: undefined,
    cpu: UNLIMITED_CPU,
  });
  void stream.run(undefined);
  return { sink, response };
}

/** Records events, which the journal publishes in one turn of the event loop. Returns their ids. */
function record(journal: Journal, from: number, count: number): string[] {
  const entries = Array.from({ length: count }, (_, n) => ({
    id: `${from + n}-0`,
    ...EVENT,
    key: `lock:${from + n}`,
  }));
  journal.index.add(entries);
  journal.publishRecorded(entries.map((entry) => ({ entry, previousId: undefined })));
  return entries.map(({ id }) => id);
}

function collectIds(response: IncomingMessage) {
  const state = { ids: [] as string[], isClosed: false };
  let rest = "";
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("id: ")) state.ids.push(line.slice(4));
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    state.isClosed = true;
  });
  return state;
}

describe("events that are published faster than a socket takes them", () => {
  it("a client that reads gets each event of a burst once and in order, and those after it", async () => {
    const journal = new Journal(DEFAULT_RETENTION);
    const { response } = await openStream(journal);
    const received = collectIds(response);
    const expected = record(journal, 1, BURST);
    await vi.waitUntil(() => received.ids.length >= BURST || received.isClosed, WAIT);
    expected.push(...record(journal, BURST + 1, 1));
    await vi.waitUntil(() => received.ids.length > BURST || received.isClosed, WAIT);
    expect([received.isClosed, received.ids]).toEqual([false, expected]);
  });

  it("a client that reads late gets each event, and the server buffers little meanwhile", async () => {
    const journal = new Journal(DEFAULT_RETENTION);
    const { sink, response } = await openStream(journal);
    const expected: string[] = [];
    for (let from = 1; from < 4 * BURST; from += BURST) {
      expected.push(...record(journal, from, BURST));
      // During this pause, the replay of the burst starts or waits for the client to read.
      await sleep(20);
      expect(sink.bufferedBytes).toBeLessThan(BUFFERED_BYTES_MAX);
    }
    const received = collectIds(response);
    await vi.waitUntil(() => received.ids.length >= expected.length || received.isClosed, WAIT);
    expect([received.isClosed, received.ids]).toEqual([false, expected]);
  });
});
