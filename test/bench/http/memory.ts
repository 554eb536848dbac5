import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { buildWaitersKey } from "../../../server/formats/keys.ts";
import { type Facts, type Line, type Run, roundValue } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { reportProgress } from "../progress.ts";
import type { NodeContender } from "./contender.ts";
import type { HttpContenders } from "./contenders.ts";
import { HeldSockets } from "./held-sockets.ts";

const WAITER = "http.mem.waiter";
const STREAM = "http.mem.stream";
/** Number of waiters per lock. */
const WAITERS_A_LOCK = 20;
const WAIT_MS = 55_000;
const DEADLINE_MS = 20_000;
/** Share of the requests that are opened and closed before the measurement, because some memory grows only once. */
const WARM_SHARE = 0.25;

export const MEMORY_FIGURES: readonly string[] = [WAITER, STREAM];

/** Measures the server's memory per open request, including Node's memory for the connection. */
export async function measureMemory(run: Run, { ours, bare }: HttpContenders): Promise<void> {
  const machine = {
    ...(await readMachineFacts(ours.inspector, run.effort)),
    consoles: 0,
    settings: ours.settings,
  };
  const measure = (figure: string, count: number, hold: Hold) =>
    run.part([figure], async () => {
      reportProgress(figure);
      const held = await measureBytes(run, ours, count, hold);
      const idle = await measureBytes(run, bare, count, holdNothing);
      return [createLine(figure, held, idle, { ...machine, held: count })];
    });
  const quick = run.effort === "quick";
  await measure(WAITER, quick ? 200 : 2000, holdWaiters);
  await measure(STREAM, quick ? 200 : 500, holdStreams);
}

/** A function that opens requests and resolves once the server holds all of them. */
type Hold = (server: NodeContender, sockets: HeldSockets, count: number) => Promise<void>;

interface Bytes {
  readonly alive: number;
  readonly rss: number;
}

async function measureBytes(run: Run, server: NodeContender, count: number, hold: Hold): Promise<Bytes> {
  const sockets = new HeldSockets();
  run.defer(() => sockets.close());
  await hold(server, sockets, Math.ceil(count * WARM_SHARE));
  sockets.close();
  const before = await server.memory();
  await hold(server, sockets, count);
  const after = await server.memory();
  sockets.close();
  return {
    alive: (after.aliveBytes - before.aliveBytes) / count,
    rss: (after.rssBytes - before.rssBytes) / count,
  };
}

function createLine(figure: string, held: Bytes, idle: Bytes, conditions: Facts): Line {
  return {
    figure,
    unit: "bytes",
    ours: roundValue(held.alive),
    vs: { bare: roundValue(held.alive / idle.alive) },
    conditions: {
      theirs: { bare: roundValue(idle.alive) },
      rssBytes: { ours: roundValue(held.rss), bare: roundValue(idle.rss) },
      method:
        "Growth of heapUsed + external of the server process per open request, after garbage collections. bare: an open request of a node:http server that does not process it. rssBytes: growth of the resident memory, which the process returns late. Lower is better",
      ...conditions,
    },
  };
}

async function holdWaiters(server: NodeContender, sockets: HeldSockets, count: number): Promise<void> {
  const { inspector, target } = server;
  const locks = Array.from({ length: Math.ceil(count / WAITERS_A_LOCK) }, (_, n) => `lock:bench:held:${n}`);
  const ask = (lock: string, body: object) =>
    formatRequest(server, "POST", `locks/${encodeURIComponent(lock)}/acquire`, body);
  for (const lock of locks) await acquireOnce(server, lock);
  const requests = Array.from({ length: count }, (_, n) =>
    ask(locks[n % locks.length] ?? "", { owner: `checkout@pod-8:${n}`, waitMs: WAIT_MS }),
  );
  await waitUntilWaiting(inspector, locks, 0);
  await sockets.open(target.port, requests);
  await waitUntilWaiting(inspector, locks, count);
}

/**
 * Acquires a lock for longer than the requests of this benchmark wait. If an earlier round has already acquired the
 * lock (409), does nothing.
 */
async function acquireOnce({ target }: NodeContender, lock: string): Promise<void> {
  const url = `http://127.0.0.1:${target.port}/api/v1/locks/${encodeURIComponent(lock)}/acquire`;
  const headers = { authorization: `Bearer ${target.secret}`, "content-type": "application/json" };
  const body = JSON.stringify({ owner: "checkout@pod-7:311", leaseMs: 600_000 });
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  if (!response.ok && response.status !== 409) throw new Error(`${lock} was not granted: ${text}`);
}

/**
 * Waits until `count` waiters of the locks are registered in Redis. A request registers when its first attempt is
 * refused.
 */
async function waitUntilWaiting(inspector: Redis, locks: readonly string[], count: number): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const waiting = await Promise.all(locks.map((lock) => inspector.zcard(String(buildWaitersKey(lock)))));
    const listed = waiting.reduce((sum, each) => sum + each, 0);
    if (listed === count) return;
    if (performance.now() > deadline)
      throw new Error(`${listed} waiters are listed after ${DEADLINE_MS / 1000} s instead of ${count}`);
    await sleep(20);
  }
}

async function holdStreams(server: NodeContender, sockets: HeldSockets, count: number): Promise<void> {
  const requests = Array.from({ length: count }, () => formatRequest(server, "GET", "events"));
  await sockets.open(server.target.port, requests, (answer) => answer.includes("event: hello"));
}

async function holdNothing(server: NodeContender, sockets: HeldSockets, count: number): Promise<void> {
  const requests = Array.from({ length: count }, () => formatRequest(server, "POST", "/hold", {}));
  await sockets.open(server.target.port, requests);
}

function formatRequest({ target }: NodeContender, method: string, path: string, content?: object): string {
  const body = content === undefined ? "" : JSON.stringify(content);
  const type = content === undefined ? "" : "content-type: application/json\r\n";
  const address = path.startsWith("/") ? path : `/api/v1/${path}`;
  return `${method} ${address} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${target.secret}\r\n${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
