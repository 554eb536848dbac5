import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RetryingHttpClient } from "./retrying-http-client.ts";

interface Seen {
  readonly server: number;
  readonly id: unknown;
  readonly request: string;
  readonly body: { readonly waitMs?: number };
}
type Answering = "cut" | "silent" | "granted" | "broken" | `refused ${string}`;

let servers: Server[];
let seen: Seen[];
/** What is answered to the first request, the second and so on. */
let answers: Answering[];
let calls: RetryingHttpClient;
/** What becomes of a request that is not answered: its time ends. */
let onSilence: () => void;

// The time moves only as these tests say: a request takes REQUEST_MS, a silent one its whole limit, a pause its length.
const REQUEST_MS = 30;
vi.mock("node:timers/promises", () => ({ setTimeout: async (ms: number) => vi.advanceTimersByTime(ms) }));

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const limit = new AbortController();
    onSilence = () => {
      vi.advanceTimersByTime(ms);
      limit.abort(new DOMException("too long", "TimeoutError"));
    };
    return limit.signal;
  });
  seen = [];
  servers = [0, 1].map((n) => createServer((incoming, outgoing) => void answer(n, incoming, outgoing)));
  for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  calls = new RetryingHttpClient({ door: "http", urls, apiKey: "k" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function answer(server: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  const request = `${incoming.method} ${incoming.url}`;
  const body = text === "" ? {} : JSON.parse(text);
  seen.push({ server, id: incoming.headers["idempotency-key"], request, body });
  vi.advanceTimersByTime(REQUEST_MS);
  const [what, code] = (answers.shift() ?? "granted").split(" ");
  if (what === "cut") incoming.socket.destroy();
  if (what === "silent") onSilence();
  if (what === "granted") outgoing.end('{"it":"is yours"}');
  if (what === "broken") outgoing.writeHead(500).end("<html>");
  if (what === "refused") {
    outgoing.writeHead(503, { "content-type": "application/problem+json" });
    outgoing.end(JSON.stringify({ type: "about:blank", title: "no", status: 503, code, detail: "no" }));
  }
}

const CALL = { path: "/locks/lock%3Aa/acquire", body: { owner: "me" }, forMs: 1000, tryMs: 300 } as const;
const ask = (more: object = {}) => calls.request({ ...CALL, ...more }, (body) => body);

describe("HTTP calls of the chaos worker", () => {
  it("an HTTP call without a response is retried on the next server with the same request id", async () => {
    answers = ["cut", "silent", "refused unknown_outcome", "granted"];
    expect(await ask()).toMatchObject({ value: { it: "is yours" }, asked: 4 });
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    expect(seen.map(({ server }) => server)).toEqual([0, 1, 0, 1]);
  });

  it("an HTTP call without a body is a GET without a request id", async () => {
    answers = [];
    await calls.request({ path: "/holds/h1.a", forMs: 1000 }, (body) => body);
    await ask();
    expect(seen.map(({ request }) => request)).toEqual([
      "GET /api/v1/holds/h1.a",
      "POST /api/v1/locks/lock%3Aa/acquire",
    ]);
    expect(seen.map(({ id }) => typeof id)).toEqual(["undefined", "string"]);
  });

  it("each HTTP call has its own request id", async () => {
    answers = [];
    await ask();
    await ask();
    expect(new Set(seen.map(({ id }) => id)).size).toBe(2);
  });

  it("an HTTP call reports the send time of the answered attempt, not of a lost one", async () => {
    answers = ["silent", "granted"];
    const begunAt = performance.now();
    expect((await ask()).sentAt.monotonic - begunAt).toBeGreaterThan(299);
  });

  it("a refusal ends an HTTP call and reports whether an earlier attempt may still be applied", async () => {
    answers = ["refused held"];
    await expect(ask()).rejects.toMatchObject({ code: "held", asked: 1 });
    answers = ["cut", "refused held"];
    await expect(ask()).rejects.toMatchObject({ code: "held", asked: 2 });
  });

  it("an HTTP call retries while nothing was done and fails with unavailable when its time is over", async () => {
    answers = Array.from({ length: 100 }, () => "refused unavailable" as const);
    await expect(ask({ forMs: 200 })).rejects.toMatchObject({ code: "unavailable", asked: 1 });
    expect(seen.length).toBeGreaterThan(2);
  });

  it("a long wait is split into requests with the same id, up to the requested wait time", async () => {
    // This server does not wait: it says at once that the time is over.
    answers = Array.from({ length: 10_000 }, () => "refused timeout" as const);
    await expect(ask({ waitMs: 2540 })).rejects.toMatchObject({ code: "timeout", asked: 1 });
    const waits = seen.map(({ body }) => body.waitMs ?? 0);
    expect(waits.length).toBeGreaterThan(1);
    expect(waits[0]).toBe(2500);
    expect(Math.max(...waits)).toBe(2500);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
  });

  it("a malformed response is an error, not a missing response", async () => {
    answers = ["broken"];
    await expect(ask()).rejects.toMatchObject({ code: expect.stringContaining("SyntaxError") });
    expect(seen).toHaveLength(1);
  });

  it("an HTTP call ends when its signal aborts", async () => {
    answers = ["silent"];
    const caller = new AbortController();
    const aborted = ask({ signal: caller.signal });
    onSilence = () => caller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
  });
});
