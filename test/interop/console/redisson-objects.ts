import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { assert, expect } from "../figures.ts";
import {
  acquireHold,
  expectLiveness,
  expectReleased,
  expectReleaseRefused,
  expectShown,
  expectWoken,
  LEASE_MS,
  type Party,
  type ReleaseOutcome,
  releaseHold,
  waitBehind,
} from "./lock-steps.ts";
import type { Operator } from "./operator.ts";
import { createWaiterEstimate } from "./release-scenario.ts";

/** Time in ms in which a lock is renewed at least twice. Redisson's watchdog renews every ten seconds. */
export const RENEWED_WITHIN_MS = 25_000;
export const MONITOR: ReleaseOutcome = { outcome: "refused", said: "IllegalMonitorStateException" };

export interface RedissonSetup {
  readonly operator: Operator;
  readonly redis: Redis;
  /**
   * Returns a thread of Redisson by its letter. Threads with odd letters (a, c, …) and threads with even letters belong
   * to different instances.
   */
  readonly party: (who: string, object: string) => Party;
}

/** Force-releases a fair lock. Checks that the waiters acquire it in the order in which they began to wait. */
export async function forceReleaseFairLock({ operator, party }: RedissonSetup): Promise<string> {
  const key = "orders:fair";
  const [holder, first, second] = ["a", "b", "c"].map((who) => party(who, "fair")) as [Party, Party, Party];
  const { owner = "" } = await acquireHold(holder, key, 0);
  await expectLiveness(operator, key, "alive", RENEWED_WITHIN_MS);
  const one = await waitBehind(operator, first, key, { waiters: { count: 1, known: "exact" } });
  const two = await waitBehind(operator, second, key, { waiters: { count: 2, known: "exact" } });
  const lock = await operator.readLock(key);
  expectShown(lock, {
    format: "redisson",
    kind: "fair",
    confidence: "certain",
    holders: [{ owner, count: 1 }],
  });
  const freed = await operator.forceRelease(key, lock.version);
  const wokenMs = await expectWoken(one.held, freed, key);
  const next = (await one.held).owner;
  await expectReleaseRefused(operator, holder, key, { said: MONITOR, next });
  const { waiters } = await operator.readLock(key);
  expect("who still waits for the fair lock", waiters, { count: 1, known: "exact" });
  await expectReleased(first, key);
  await two.held;
  await expectReleased(second, key);
  await operator.expectEventOnce(key, owner);
  return `RFairLock ${wokenMs} ms`;
}

/** Force-releases one of two readers while a writer waits, and then the writer while a reader waits. */
export async function forceReleaseReadWriteLock({ operator, party }: RedissonSetup): Promise<string> {
  const key = "orders:shared";
  const readers = [party("a", "read"), party("b", "read")] as const;
  const owners = [
    (await acquireHold(readers[0], key, 0)).owner,
    (await acquireHold(readers[1], key, 0)).owner,
  ] as const;
  const shown = { format: "redisson", confidence: "certain" } as const;
  const lock = await expectLiveness(operator, key, "alive", RENEWED_WITHIN_MS);
  const holders = owners.map((owner) => ({ owner: owner ?? "", role: "read" as const, count: 1 }));
  expectShown(lock, { ...shown, kind: "read", holders });

  const writer = party("c", "write");
  const waiting = await waitBehind(operator, writer, key, { waiters: createWaiterEstimate(1) });
  const { release, holders: seen } = await operator.readLock(key);
  expect("whether one reader can be freed alone", release?.oneHolder, true);
  const version = seen.find(({ owner }) => owner === owners[0])?.version ?? "";
  expect("whose", (await operator.forceRelease(key, version)).owner, owners[0]);
  expectShown(await operator.readLock(key), {
    ...shown,
    kind: "read",
    holders: [{ owner: owners[1] ?? "" }],
  });
  await expectReleaseRefused(operator, readers[0], key, { said: MONITOR, next: owners[1] ?? "" });
  const early = await Promise.race([waiting.held, sleep(500)]);
  assert(early === undefined, () => "the writer came in beside a reader");
  const last = await operator.forceRelease(key, (await operator.readLock(key)).version);
  const writerMs = await expectWoken(waiting.held, last, key);

  const own = `${(await waiting.held).owner}:write`;
  const held = await operator.readLock(key);
  expectShown(held, { ...shown, kind: "write", holders: [{ owner: own, role: "write", count: 1 }] });
  await expectReleaseRefused(operator, readers[1], key, { said: MONITOR, next: own });
  const reader = party("d", "read");
  const behind = await waitBehind(operator, reader, key, { waiters: createWaiterEstimate(1) });
  const freed = await operator.forceRelease(key, (await operator.readLock(key)).version);
  const readerMs = await expectWoken(behind.held, freed, key);
  await expectReleaseRefused(operator, writer, key, { said: MONITOR, next: (await behind.held).owner });
  await expectReleased(reader, key);
  for (const owner of [...owners, own]) await operator.expectEventOnce(key, owner ?? "");
  return `RReadWriteLock ${writerMs} ms (writer) and ${readerMs} ms (reader)`;
}

/** Force-releases one of two permits. Checks that the waiter acquires it. */
export async function forceReleasePermit({ operator, redis, party }: RedissonSetup): Promise<string> {
  const key = "orders:permits";
  const [first, second, third] = ["a", "b", "c"].map((who) => party(who, "permits")) as [Party, Party, Party];
  await first.peer.ask("prepare", [first.who, "permits", key, 2]);
  const owners = [
    (await acquireHold(first, key, 0, LEASE_MS)).owner,
    (await acquireHold(second, key, 0, -1)).owner,
  ];
  const waiting = await waitBehind(operator, third, key, {
    waiters: createWaiterEstimate(1),
    leaseMs: LEASE_MS,
  });
  const lock = await operator.readLock(key);
  const holders = owners.map((owner) => ({ owner: owner ?? "", count: 1 }));
  expectShown(lock, { format: "redisson", kind: "semaphore", confidence: "certain", holders });
  expect("the permits as shown", lock.permits, { available: 0, total: 2 });
  const unending = lock.holders.find(({ owner }) => owner === owners[1]);
  expect("what is left to a permit without an end", unending?.remainingMs, null);
  const { version = "" } = lock.holders.find(({ owner }) => owner === owners[0]) ?? {};
  const freed = await operator.forceRelease(key, version);
  const wokenMs = await expectWoken(waiting.held, freed, key);
  const late = await releaseHold(first, key);
  expect("what the old owner of the permit is told", late, {
    outcome: "refused",
    said: "RedisException of IllegalArgumentException",
  });
  await operator.expectEventOnce(key, owners[0] ?? "");
  await expectReleased(second, key);
  await expectReleased(third, key);
  expect("permits in the end", await redis.get(key), "2");
  return `RPermitExpirableSemaphore ${wokenMs} ms`;
}

/** Checks that Redisson's watchdog does not recreate a lock that was force-released. */
export async function abandonLock({ operator, party }: RedissonSetup): Promise<void> {
  const key = "orders:abandoned:lock";
  const { owner = "" } = await acquireHold(party("a", "lock"), key, 0);
  const { version } = await operator.waitForLock(key, ({ state }) => state === "held");
  await operator.forceRelease(key, version);
  await sleep(12_000);
  expect(
    "the abandoned lock after the next turn of the watchdog",
    (await operator.readLock(key)).state,
    "free",
  );
  await operator.expectEventOnce(key, owner);
}
