import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createBearerHeader, type TestServer, waitUntil } from "../../test/support/test-server.ts";

const LOCKS = 5000;
const CONNECTIONS = 4;
const ROUNDS = 100;
/**
 * Maximum factor by which filters may slow down an acquire and release. Without yielding, filters slowed them down by a
 * factor of 150.
 */
const SLOWDOWN_MAX = 20;

const it = serverTest({ environment: { LOCKKEEPER_READ_CPU_MS: "20/200" } })
  .extend("planted", { scope: "file" }, async ({ server, direct }) => {
    for (let at = 0; at < LOCKS; at += 500) {
      const batch = direct.pipeline();
      for (let n = at; n < at + 500; n++)
        batch.set(`lock:${"a".repeat(880)}:${n}`, `token${n}`.padEnd(32, "x"), "PX", 3_600_000);
      await batch.exec();
    }
    await waitUntil(async () => (await server.call("/locks?limit=1")).body.total >= LOCKS, 60_000);
    return LOCKS;
  })
  .extend("reader", { scope: "file" }, async ({ server }) => {
    const { body } = await server.call("/keys", { body: { name: "reader", verbs: ["read"] } });
    return createBearerHeader(body.secret);
  });

/**
 * Acquires and releases locks, one after the other.
 * @returns the duration of each pair in ms, shortest first, and the HTTP statuses
 */
async function measureVerbs(server: TestServer) {
  const times: number[] = [];
  const statuses = new Set<number>();
  for (let n = 0; n < ROUNDS; n++) {
    const startedAt = performance.now();
    const granted = await server.callVerb(`lock:verb:${n}`, "acquire", { owner: "me" });
    const released = await server.callHold(granted.body, "release");
    times.push(performance.now() - startedAt);
    statuses.add(granted.status).add(released.status);
  }
  return { times: times.sort((a, b) => a - b), statuses };
}

const readPercentile = (times: readonly number[], share: number) =>
  times[Math.floor(times.length * share)] ?? 0;

it("new filters of one caller delay the verbs of another by a small multiple only, and are limited", async ({
  server,
  planted,
  reader,
}) => {
  const quiet = await measureVerbs(server);
  const statuses: number[] = [];
  let retryAfter: string | null = null;
  let isOver = false;
  const sendFilters = async (connection: number) => {
    for (let n = 0; !isOver; n++) {
      const filter = `key:*x${connection}y${n}*z no-such-${n}`;
      const { status, headers } = await server.call(`/locks?${new URLSearchParams({ filter })}`, {
        headers: reader,
      });
      statuses.push(status);
      if (status !== 429) continue;
      retryAfter = headers.get("retry-after");
      await sleep(20);
    }
  };
  const storm = Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => sendFilters(n)));
  const busy = await measureVerbs(server);
  await waitUntil(() => statuses.includes(429), 30_000);
  isOver = true;
  await storm;
  expect(planted).toBe(LOCKS);
  expect(statuses).toContain(200);
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect([...busy.statuses].filter((status) => status >= 400)).toEqual([]);
  const [usual, slowest] = [readPercentile(quiet.times, 0.99), readPercentile(busy.times, 0.99)];
  expect(slowest / usual).toBeLessThan(SLOWDOWN_MAX);
}, 120_000);

it("a caller without processor time left is refused filters, and can still read a lock and acquire one", async ({
  server,
  planted,
  reader,
  key,
}) => {
  const list = (n: number) => server.call(`/locks?filter=other-${n}&limit=500`, { headers: reader });
  for (let n = 0; (await list(n)).status === 200; n++) expect(n).toBeLessThan(planted);
  const refused = await list(-1);
  expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
  expect((await server.call(`/locks/${key}`, { headers: reader })).status).toBe(200);
  expect((await server.call("/locks?limit=1")).status).toBe(200);
  await waitUntil(async () => (await list(0)).status === 200, 60_000);
}, 120_000);

it("polls and searches of the history use up the processor time of their caller", async ({
  server,
  planted,
  reader,
}) => {
  const paths = {
    polls: () => "/live?mode=poll&limit=200",
    searches: (n: number) => `/history?limit=1&key=${encodeURIComponent(`${"*a".repeat(60)}*${n}b`)}`,
  };
  for (const [name, buildPath] of Object.entries(paths)) {
    const read = async (n: number) => {
      const response = await server.fetch(buildPath(n), { headers: reader });
      await response.text();
      return response.status;
    };
    await waitUntil(async () => (await read(0)) === 200, 60_000);
    for (let n = 0; (await read(n)) === 200; n++) expect(n, name).toBeLessThan(500);
    expect(await read(-1), name).toBe(429);
    expect((await server.call(`/locks?limit=1`)).status).toBe(200);
  }
  expect(planted).toBe(LOCKS);
}, 120_000);
