import { getTraceKeys, sumTallies, type Tally } from "../tally.ts";

/**
 * Maximum pause in ms between two turns of a loop if another peer polls. A polling peer can acquire the lock only
 * during such a pause.
 */
export const PAUSE_MS = 4;

/** The Redis commands that a section uses. Clients of different versions provide them. */
export interface SectionRedis {
  incr(key: string): Promise<number>;
  decr(key: string): Promise<number>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  getset(key: string, value: string): Promise<string | null>;
}

/**
 * Runs a section once under the lock.
 *
 * @returns the number of re-entries, and the number of those with a wrong count. Undefined if the section was not
 * re-entered
 */
export type UnderLock = (
  section: () => Promise<void>,
  turn: number,
) => Promise<{ reentries: number; wrongCounts: number } | undefined>;

/** Runs loops that repeatedly execute a section under the lock, until `forMs` have passed. */
export async function contend(
  redis: SectionRedis,
  side: string,
  key: string,
  { forMs, loops }: { forMs: number; loops: number },
  underLock: UnderLock,
): Promise<Tally> {
  const until = performance.now() + forMs;
  const work = async () => {
    const tally = { sections: 0, overlaps: 0, handOvers: 0, reentries: 0, wrongCounts: 0 };
    for (let turn = 0; performance.now() < until; turn++) {
      const entered = await underLock(async () => {
        const seen = await createSection(redis, side, key);
        tally.sections++;
        tally.overlaps += seen.overlaps;
        tally.handOvers += seen.handOvers;
      }, turn);
      tally.reentries += entered?.reentries ?? 0;
      tally.wrongCounts += entered?.wrongCounts ?? 0;
    }
    return tally;
  };
  return sumTallies(await Promise.all(Array.from({ length: loops }, work)));
}

// The count is read and written separately. If two clients are inside at the same time, an update may be lost, which
// reveals the overlap even if `inside` does not.
async function createSection(redis: SectionRedis, side: string, key: string) {
  const traces = getTraceKeys(key);
  const overlaps = (await redis.incr(traces.inside)) === 1 ? 0 : 1;
  const before = Number(await redis.get(traces.count));
  const handOvers = (await redis.getset(traces.last, side)) === side ? 0 : 1;
  await redis.set(traces.count, String(before + 1));
  await redis.decr(traces.inside);
  return { overlaps, handOvers };
}
