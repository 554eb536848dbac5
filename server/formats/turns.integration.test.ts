import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { EVENT_CHANNEL } from "../../test/support/observed-lock.ts";
import { countWaiters, sleepMs, WRITABLE_FORMATS } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { buildWaitersKey } from "./keys.ts";
import type { AcquireRequest } from "./lock-requests.ts";
import { LOCK_WRITERS } from "./lock-writer.ts";
import { stopWaiting } from "./stop-waiting.ts";

/** A wait time in ms that is longer than any test takes. */
const LONG_MS = 600_000;
const WAITERS_MAX = 1000;

const it = redisTest().extend(
  "begin",
  { scope: "file" },
  ({ direct }) =>
    (format: (typeof WRITABLE_FORMATS)[number]) => {
      const writer = LOCK_WRITERS[format];
      const createAsk = () => ({
        ...{ id: randomUUID(), digest: "-", token: `${randomUUID()}:1`, owner: "me", leaseMs: 30_000 },
        ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const },
      });
      return {
        createAsk,
        /** Tries to acquire the lock as a waiter that began to wait at `sinceMs`. */
        look: (key: string, ask: AcquireRequest = createAsk(), sinceMs?: number, giveWayMs?: number) =>
          writer.acquire(direct, EVENT_CHANNEL, key, ask, {
            waitMs: LONG_MS,
            sinceMs,
            waitersMax: WAITERS_MAX,
            giveWayMs,
          }),
        async hold(key: string) {
          const reply = await writer.acquire(direct, EVENT_CHANNEL, key, createAsk());
          if (reply.outcome !== "granted") throw new Error(reply.outcome);
          const { token, fence } = reply;
          return () =>
            writer.release(direct, EVENT_CHANNEL, key, { id: randomUUID(), digest: "-", token, fence });
        },
      };
    },
);

it.for(WRITABLE_FORMATS)(
  "a released lock is left to the client that has waited longest (%s)",
  async (format, { begin, direct, key }) => {
    const { createAsk, hold, look } = begin(format);
    const release = await hold(key);
    const [first, second] = [createAsk(), createAsk()];
    for (const [at, ask] of [first, second].entries()) await look(key, ask, 1000 + at, LONG_MS);
    await release();
    const refused = await look(key, second, 1001, LONG_MS);
    expect(refused).toMatchObject({ outcome: "held", holders: [] });
    expect(refused).toHaveProperty(
      "remainingMs",
      expect.toSatisfy((ms: number) => ms > 0 && ms <= LONG_MS),
    );
    // A new client must give way to both waiters.
    expect(await look(key, createAsk(), undefined, LONG_MS)).toMatchObject({ outcome: "held", holders: [] });
    expect(await countWaiters(direct, key)).toBe(3);
    expect(await look(key, first, 1000, LONG_MS)).toMatchObject({ outcome: "granted" });
    expect(await look(key, second, 1001, LONG_MS)).toMatchObject({
      outcome: "held",
      holders: [{ owner: "me" }],
    });
  },
);

it("a waiter that does not take its turn is passed over and leaves the waiting list", async ({
  begin,
  direct,
  key,
}) => {
  const { createAsk, hold, look } = begin("redisson");
  const release = await hold(key);
  const [dead, alive, later] = [createAsk(), createAsk(), createAsk()];
  for (const [at, ask] of [dead, alive, later].entries()) await look(key, ask, 1000 + at, 50);
  await release();
  await waitUntil(async () => (await look(key, alive, 1001, 50)).outcome === "granted");
  const names = await direct.zrange(String(buildWaitersKey(key)), "0", "-1");
  expect(names.map((name) => name.split("\t")[0])).toEqual([later.id]);
});

it.for(["held", "free"])(
  "a repeated attempt to wait for a %s lock leaves one entry at most in the waiting list",
  async (state, { begin, direct, key }) => {
    const { createAsk, hold, look } = begin("redisson");
    const release = await hold(key);
    const [ask, other] = [createAsk(), createAsk()];
    // The client does not receive the reply to the first attempt.
    await look(key, ask);
    await look(key, other);
    if (state === "free") await release();
    await sleepMs(2);
    const reply = await look(key, { ...ask, retryMs: 2 });
    expect(reply.outcome).toBe(state === "free" ? "granted" : "held");
    const listed = (await direct.zrange(String(buildWaitersKey(key)), "0", "-1")).map(
      (name) => name.split("\t")[0],
    );
    expect(listed.sort()).toEqual([...(state === "free" ? [] : [ask.id]), other.id].sort());
  },
);

it("a waiter whose first attempt had no reply leaves the waiting list when it gives up", async ({
  begin,
  direct,
  key,
}) => {
  const { createAsk, hold, look } = begin("redisson");
  await hold(key);
  const [ask, other] = [createAsk(), createAsk()];
  await look(key, ask);
  await look(key, other);
  const waiter = { requestId: ask.id, sinceMs: undefined, owner: ask.owner, keepMs: 0 };
  await stopWaiting(direct, EVENT_CHANNEL, key, waiter);
  const names = await direct.zrange(String(buildWaitersKey(key)), "0", "-1");
  expect(names.map((name) => name.split("\t")[0])).toEqual([other.id]);
});

it("a client that does not wait takes a released lock at once", async ({ begin, key }) => {
  const { createAsk, hold, look } = begin("redisson");
  const release = await hold(key);
  await look(key, createAsk(), 1000, LONG_MS);
  await release();
  await (await hold(key))();
});

it("a waiter takes a released lock whose waiting list has other data", async ({ begin, direct, key }) => {
  const { createAsk, hold, look } = begin("redisson");
  const waiters = String(buildWaitersKey(key));
  await (await hold(key))();
  await direct.set(waiters, "data");
  expect(await look(key, createAsk(), 1000, LONG_MS)).toMatchObject({ outcome: "granted" });
  await (await begin("token").hold(`${key}:2`))();
  const untilMs = String(Date.now() + LONG_MS);
  const huge = "x".repeat(600_000);
  await direct.zadd(String(buildWaitersKey(`${key}:2`)), untilMs, "no tabs", untilMs, huge);
  expect(await begin("token").look(`${key}:2`, createAsk(), 1000, LONG_MS)).toMatchObject({
    outcome: "granted",
  });
});
