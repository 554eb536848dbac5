import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { assert, expect } from "../figures.ts";
import { listens } from "./lock-story.ts";
import type { Operator } from "./operator.ts";
import {
  type Dropped,
  drop,
  expectShown,
  expectTold,
  expectVerdict,
  expectWoken,
  giveBack,
  hold,
  LEASE_MS,
  type Party,
  waitBehind,
} from "./story.ts";

/** Redisson's watchdog comes every ten seconds. */
export const RENEWED_WITHIN_MS = 25_000;
export const MONITOR: Dropped = { outcome: "refused", said: "IllegalMonitorStateException" };

export interface Scene {
  readonly operator: Operator;
  readonly redis: Redis;
  /** A thread of Redisson; those of odd and of even letters are of two instances. */
  readonly party: (who: string, object: string) => Party;
}

/** Those who wait for a fair lock have it in the order in which they came. */
export async function freeFairLock({ operator, party }: Scene): Promise<string> {
  const key = "orders:fair";
  const [holder, first, second] = ["a", "b", "c"].map((who) => party(who, "fair")) as [Party, Party, Party];
  const { owner = "" } = await hold(holder, key, 0);
  await expectVerdict(operator, key, "renewing", RENEWED_WITHIN_MS);
  const one = await waitBehind(operator, first, key, { waiters: { count: 1, known: "exact" } });
  const two = await waitBehind(operator, second, key, { waiters: { count: 2, known: "exact" } });
  const lock = await operator.look(key);
  expectShown(lock, {
    format: "redisson",
    kind: "fair",
    confidence: "certain",
    holders: [{ owner, count: 1 }],
  });
  const freed = await operator.free(key, lock.version);
  const wokenMs = await expectWoken(one.held, freed, key);
  const next = (await one.held).owner;
  await expectTold(operator, holder, key, { said: MONITOR, next });
  const { waiters } = await operator.look(key);
  expect("who still waits for the fair lock", waiters, { count: 1, known: "exact" });
  await giveBack(first, key);
  await two.held;
  await giveBack(second, key);
  await operator.expectToldOnce(key, owner);
  return `RFairLock ${wokenMs} ms`;
}

/** Two readers, and a writer behind them; then the writer, and a reader behind it. */
export async function freeReadWriteLock({ operator, party }: Scene): Promise<string> {
  const key = "orders:shared";
  const readers = [party("a", "read"), party("b", "read")] as const;
  const owners = [(await hold(readers[0], key, 0)).owner, (await hold(readers[1], key, 0)).owner] as const;
  const shown = { format: "redisson", confidence: "certain" } as const;
  const lock = await expectVerdict(operator, key, "renewing", RENEWED_WITHIN_MS);
  const holders = owners.map((owner) => ({ owner: owner ?? "", role: "read" as const, count: 1 }));
  expectShown(lock, { ...shown, kind: "read", holders });

  const writer = party("c", "write");
  const waiting = await waitBehind(operator, writer, key, { waiters: listens(1) });
  const { release, holders: seen } = await operator.look(key);
  expect("whether one reader can be freed alone", release?.oneHolder, true);
  const version = seen.find(({ owner }) => owner === owners[0])?.version ?? "";
  expect("whose", (await operator.free(key, version)).owner, owners[0]);
  expectShown(await operator.look(key), { ...shown, kind: "read", holders: [{ owner: owners[1] ?? "" }] });
  await expectTold(operator, readers[0], key, { said: MONITOR, next: owners[1] ?? "" });
  const early = await Promise.race([waiting.held, sleep(500)]);
  assert(early === undefined, () => "the writer came in beside a reader");
  const last = await operator.free(key, (await operator.look(key)).version);
  const writerMs = await expectWoken(waiting.held, last, key);

  const own = `${(await waiting.held).owner}:write`;
  const held = await operator.look(key);
  expectShown(held, { ...shown, kind: "write", holders: [{ owner: own, role: "write", count: 1 }] });
  await expectTold(operator, readers[1], key, { said: MONITOR, next: own });
  const reader = party("d", "read");
  const behind = await waitBehind(operator, reader, key, { waiters: listens(1) });
  const freed = await operator.free(key, (await operator.look(key)).version);
  const readerMs = await expectWoken(behind.held, freed, key);
  await expectTold(operator, writer, key, { said: MONITOR, next: (await behind.held).owner });
  await giveBack(reader, key);
  for (const owner of [...owners, own]) await operator.expectToldOnce(key, owner ?? "");
  return `RReadWriteLock ${writerMs} ms (writer) and ${readerMs} ms (reader)`;
}

/** One of two permits is freed, and the one who waits has it. */
export async function freePermit({ operator, redis, party }: Scene): Promise<string> {
  const key = "orders:permits";
  const [first, second, third] = ["a", "b", "c"].map((who) => party(who, "permits")) as [Party, Party, Party];
  await first.peer.ask("prepare", [first.who, "permits", key, 2]);
  const owners = [(await hold(first, key, 0, LEASE_MS)).owner, (await hold(second, key, 0, -1)).owner];
  const waiting = await waitBehind(operator, third, key, { waiters: listens(1), leaseMs: LEASE_MS });
  const lock = await operator.look(key);
  const holders = owners.map((owner) => ({ owner: owner ?? "", count: 1 }));
  expectShown(lock, { format: "redisson", kind: "semaphore", confidence: "certain", holders });
  expect("the permits as shown", lock.permits, { available: 0, total: 2 });
  const unending = lock.holders.find(({ owner }) => owner === owners[1]);
  expect("what is left to a permit without an end", unending?.remainingMs, null);
  const { version = "" } = lock.holders.find(({ owner }) => owner === owners[0]) ?? {};
  const freed = await operator.free(key, version);
  const wokenMs = await expectWoken(waiting.held, freed, key);
  const late = await drop(first, key);
  expect("what the old owner of the permit is told", late, {
    outcome: "refused",
    said: "RedisException of IllegalArgumentException",
  });
  await operator.expectToldOnce(key, owners[0] ?? "");
  await giveBack(second, key);
  await giveBack(third, key);
  expect("permits in the end", await redis.get(key), "2");
  return `RPermitExpirableSemaphore ${wokenMs} ms`;
}

/** A watchdog that finds its lock gone does not make it again. */
export async function abandon({ operator, party }: Scene): Promise<void> {
  const key = "orders:abandoned";
  const { owner = "" } = await hold(party("a", "lock"), key, 0);
  const { version } = await operator.lookUntil(key, ({ state }) => state === "held");
  await operator.free(key, version);
  await sleep(12_000);
  expect("the abandoned lock after the next turn of the watchdog", (await operator.look(key)).state, "free");
  await operator.expectToldOnce(key, owner);
}
