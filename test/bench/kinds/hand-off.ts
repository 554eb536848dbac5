import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Line, Run } from "../figure.ts";
import { roundValue } from "../figure.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, interleave } from "../rounds.ts";
import { computePercentile } from "../statistics.ts";
import type { BenchKind, KindsContender } from "./contender.ts";

const SUBSCRIBED_MS_MAX = 10_000;
/**
 * Range in ms of the pause between the subscription of the waiter and the release. The waiter tries once more after it
 * has subscribed and then sleeps.
 */
const ASLEEP_MS = [3, 9] as const;

/**
 * The kind that is held while a client waits, by the kind that the client waits for. Readers wait for a writer, and
 * writers wait for a reader.
 */
const HELD: Readonly<Record<BenchKind, BenchKind>> = {
  lock: "lock",
  fair: "fair",
  read: "write",
  write: "read",
  semaphore: "semaphore",
  plain_semaphore: "plain_semaphore",
  latch: "latch",
};

/**
 * Measures the time from a release in one process to the grant in another, or from the last count-down of a latch to
 * the wake-up.
 */
export async function measureHandOffs(
  run: Run,
  redis: Redis,
  contenders: readonly KindsContender[],
  kind: BenchKind,
  figures: { readonly p50: string; readonly p99: string },
): Promise<Line[]> {
  const failed: Record<string, string> = {};
  const count = { quick: 5, full: 150 }[run.effort];
  const times = async (contender: KindsContender, number: number) => {
    const tookMs: number[] = [];
    while (tookMs.length < number) tookMs.push(await measureHandOff(contender, redis, kind));
    return tookMs;
  };
  const rounds = await interleave({
    contenders,
    rounds: { quick: 1, full: 5 }[run.effort],
    warmUp: (contender) => times(contender, { quick: 1, full: 50 }[run.effort]),
    measure: (contender) => times(contender, count),
    onProgress: (line) => reportProgress(`hand-offs of ${kind}: ${line}`),
    failed,
  });
  return Object.entries({ [figures.p50]: 0.5, [figures.p99]: 0.99 }).map(([figure, share]) => {
    const { ours, vs, theirs } = compareMedians(rounds, (tookMs) => computePercentile(tookMs, share));
    const conditions = {
      theirs,
      failed,
      held: HELD[kind],
      rounds: rounds.get("ours")?.length,
      handOffsPerRound: count,
      // A client that misses a message sleeps until the lease expires, which this maximum reveals.
      longestMs: Object.fromEntries(
        [...rounds].map(([name, all]) => [name, roundValue(Math.max(...all.flat()))]),
      ),
      method:
        "Time from the start of the release to the grant in another process, which has subscribed and waits",
    };
    return { figure, unit: "ms", ours, vs, conditions };
  });
}

let handOffs = 0;

async function measureHandOff(contender: KindsContender, redis: Redis, kind: BenchKind): Promise<number> {
  const key = `lock:bench:handoff:${kind}:${++handOffs}:`;
  await contender.hold(HELD[kind], key);
  const granted = contender.waiter.wait(kind, key);
  // A rejection is handled where `granted` is awaited below.
  granted.catch(() => undefined);
  await Promise.race([waitForSubscriber(redis, key), granted]);
  const [least, most] = ASLEEP_MS;
  await sleep(least + Math.random() * (most - least));
  const from = await contender.release(HELD[kind], key);
  return (await granted) - from;
}

/** Resolves when a client has subscribed to a channel of the lock. */
async function waitForSubscriber(redis: Redis, key: string): Promise<void> {
  const deadline = performance.now() + SUBSCRIBED_MS_MAX;
  while (performance.now() < deadline) {
    const channels = await redis.pubsub("CHANNELS", `*${key}*`);
    if (Array.isArray(channels) && channels.length > 0) return;
    await sleep(1);
  }
  throw new Error(`No client waited for ${key} within ${SUBSCRIBED_MS_MAX} ms`);
}
