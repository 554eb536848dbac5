import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { startChild } from "../child.ts";
import type { Contender } from "../contender.ts";
import type { Effort, Experiment, Run } from "../figure.ts";
import { readMachineFacts } from "../machine.ts";
import { createRedisSemaphore } from "../peers/redis-semaphore.ts";
import { createRedlock } from "../peers/redlock.ts";
import { reportProgress } from "../progress.ts";
import { compareMedians, interleave } from "../rounds.ts";
import { startRedis } from "../servers.ts";
import { computePercentile } from "../statistics.ts";
import { createBareHolder } from "./bare.ts";
import { listSettings } from "./contenders.ts";
import { getMonotonicMs, type WaiterResponse } from "./hand-off-messages.ts";
import { openOurs } from "./ours.ts";

const FIGURES = [
  { figure: "core.handoff.p50", share: 0.5 },
  { figure: "core.handoff.p99", share: 0.99 },
] as const;

/** Time from the start of a release in one process until another process has the lock. */
export const handOff: Experiment = {
  figures: FIGURES.map(({ figure }) => figure),
  async measure(run) {
    const { url, inspector } = await startRedis(run, "");
    const waiter = new Waiter(await startChild(run, "waiter.ts", [url]));
    const lines = await openLines(run, url);
    const count = COUNT[run.effort];
    const failed: Record<string, string> = {};
    const rounds = await interleave({
      contenders: lines,
      rounds: run.effort === "quick" ? 1 : 5,
      warmUp: (line) => measureHandOffs(line, waiter, { quick: 1, full: 5 }[run.effort]),
      failed,
      measure: (line) => measureHandOffs(line, waiter, Math.ceil(count / line.lanes)),
      onProgress: reportProgress,
    });
    const machine = await readMachineFacts(inspector, run.effort);
    return FIGURES.map(({ figure, share }) => {
      const { ours, vs, theirs } = compareMedians(rounds, (samples) => computePercentile(samples, share));
      const conditions = {
        ...machine,
        consoles: 0,
        theirs,
        failed,
        rounds: rounds.get("ours")?.length,
        handOffsPerRound: count,
        connections: "1 the holder, 1 the waiter; ours and bare 1 more to be woken",
        waiting: "ours with waitMs, the peers with their default retries",
        waitedMs: Object.fromEntries(lines.map(({ name, waitMs }) => [name, waitMs])),
        lanes: Object.fromEntries(lines.map(({ name, lanes }) => [name, lanes])),
        method: "Time from the call of release to the grant in the other process. Lower is better",
        ...listSettings(lines.map(({ holder }) => holder)),
      };
      return { figure, unit: "ms", ours, vs, conditions };
    });
  },
};

const COUNT: Readonly<Record<Effort, number>> = { full: 200, quick: 20 };

/** A pair of holder and waiter whose hand-offs are measured. */
export interface HandOffLine {
  readonly name: string;
  /** Name of the contender that waits. By default, the name of the holder. */
  readonly waiting?: string;
  readonly holder: Contender;
  /**
   * Range in ms from which the time between the start of the wait and the release is chosen. A random time prevents the
   * release from coinciding with a poll.
   */
  readonly waitMs: readonly [number, number];
  /**
   * Number of concurrent hand-offs, each with its own key. Several lanes save time with a polling waiter, which sleeps
   * most of the time.
   */
  readonly lanes: number;
}

async function openLines(run: Run, url: string): Promise<readonly HandOffLine[]> {
  const lines: [Contender, HandOffLine["waitMs"], number][] = [
    [await openOurs(url), [10, 20], 1],
    [createBareHolder(url), [10, 20], 1],
    [createRedlock(url), [50, 350], 20],
    [createRedisSemaphore(url), [20, 40], 1],
  ];
  return lines.map(([holder, waitMs, lanes]) => {
    run.defer(() => holder.close());
    return { name: holder.name, holder, waitMs, lanes };
  });
}

/**
 * Measures `each` hand-offs in every lane, one after the other.
 *
 * @returns the durations in ms
 */
export async function measureHandOffs(line: HandOffLine, waiter: Waiter, each: number): Promise<number[]> {
  const lane = async (_: unknown, number: number) => {
    const took: number[] = [];
    for (let done = 0; done < each; done++) took.push(await measureHandOff(line, waiter, number));
    return took;
  };
  return (await Promise.all(Array.from({ length: line.lanes }, lane))).flat();
}

async function measureHandOff(
  { name, waiting = name, holder, waitMs }: HandOffLine,
  waiter: Waiter,
  lane: number,
) {
  const key = `lock:bench:${name}:${lane}`;
  const release = await holder.acquire(key);
  const granted = await waiter.wait(waiting, key);
  const [least, most] = waitMs;
  await sleep(least + Math.random() * (most - least));
  const from = getMonotonicMs();
  await release();
  return (await granted.at) - from;
}

/** Controls the child process that waits for locks. */
export class Waiter {
  readonly #asked = new Map<number, { waiting: () => void; granted: (at: number) => void }>();
  #ids = 0;

  constructor(private readonly child: ChildProcess) {
    child.on("message", (says: WaiterResponse) => {
      const ask = this.#asked.get(says.id);
      if (says.state === "waiting") ask?.waiting();
      else ask?.granted(says.at);
    });
  }

  /**
   * Makes the child process wait for a lock. Resolves once the child process is waiting. `at` resolves with the time of the
   * grant.
   */
  async wait(contender: string, key: string): Promise<{ readonly at: Promise<number> }> {
    const id = ++this.#ids;
    let granted: (at: number) => void = () => undefined;
    const at = new Promise<number>((resolve) => {
      granted = resolve;
    });
    await new Promise<void>((resolve) => {
      this.#asked.set(id, { waiting: resolve, granted });
      this.child.send({ id, contender, key });
    });
    return { at: at.finally(() => this.#asked.delete(id)) };
  }
}
