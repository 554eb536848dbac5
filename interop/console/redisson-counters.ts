import type { Redis } from "ioredis";
import type { HeldObservation } from "../../server/formats/observation.ts";
import { read } from "../../server/formats/read.ts";
import { FormatRules } from "../../server/formats/rules.ts";
import { assert, expect } from "../figures.ts";
import { withLocks } from "../ours.ts";
import { REASON } from "./operator.ts";
import type { Scene } from "./redisson-objects.ts";
import { drop, expectWoken, giveBack, hold, WAIT_MS } from "./story.ts";

/** Nothing but a number is in Redis: what it is only a rule says, and the API shows no lock without one. */
const RULES = new FormatRules([{ pattern: "orders:counted:*", format: "redisson" }]);

/** A permit is given back in the place of whoever has it: the one who waits has it at once. */
export async function freeSemaphore(scene: Scene): Promise<string> {
  const key = "orders:counted:permits";
  const [holder, waiter] = [scene.party("a", "semaphore"), scene.party("b", "semaphore")];
  await holder.peer.ask("prepare", [holder.who, "semaphore", key, 1]);
  await hold(holder, key, 0);
  const waiting = hold(waiter, key, WAIT_MS);
  const seen = await seenWith(scene.redis, key, 1);
  expect(
    "the semaphore as seen",
    [seen.kind, seen.confidence, seen.permits?.available],
    ["semaphore", "likely", 0],
  );
  const freed = await freeByRule(scene, seen);
  const wokenMs = await expectWoken(waiting, freed, key);
  await giveBack(holder, key);
  expect("permits while one is out: one more than before", await scene.redis.get(key), "1");
  await giveBack(waiter, key);
  return `RSemaphore ${wokenMs} ms`;
}

/** The latch is opened for all who wait. */
export async function openLatch(scene: Scene): Promise<string> {
  const key = "orders:counted:latch";
  const parties = [scene.party("a", "latch"), scene.party("b", "latch")] as const;
  await parties[0].peer.ask("prepare", [parties[0].who, "latch", key, 2]);
  const waiting = parties.map((party) => hold(party, key, WAIT_MS));
  const seen = await seenWith(scene.redis, key, parties.length);
  expect("the latch as seen", [seen.kind, seen.confidence, seen.holders[0].count], ["latch", "likely", 2]);
  const freed = await freeByRule(scene, seen);
  const wokenMs = await Promise.all(waiting.map((each) => expectWoken(each, freed, key)));
  expect("a count down that comes too late", await drop(parties[0], key), { outcome: "released", said: "" });
  expect("the latch after it", await scene.redis.exists(key), 0);
  return `RCountDownLatch ${Math.max(...wokenMs)} ms`;
}

async function seenWith(redis: Redis, key: string, waiters: number): Promise<HeldObservation> {
  const until = performance.now() + 10_000;
  for (;;) {
    const [seen] = await read(redis, [key], RULES);
    if (seen?.state === "held" && seen.waiters?.count === waiters) return seen;
    assert(performance.now() < until, () => `${key} is seen as ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freeByRule({ operator }: Scene, seen: HeldObservation): Promise<{ asOf: number }> {
  const ask = { holder: undefined, by: "interop", reason: REASON, holdOff: undefined };
  const reply = await withLocks(operator.server.redis.url, (locks) => locks.forceRelease(seen, ask));
  assert(reply.outcome === "released", () => `the force-release of ${seen.key}: ${reply.outcome}`);
  return reply;
}
