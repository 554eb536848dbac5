import { getTraceKeys, sumTallies, type Tally } from "../tally.ts";

/**
 * Maximum pause between two turns of a loop if one side polls, because it finds the lock free only between turns of the
 * other.
 */
export const PAUSE_MS = 4;

/** The commands that a section needs, of any version of the client. */
export interface SectionRedis {
  incr(key: string): Promise<number>;
  decr(key: string): Promise<number>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  getset(key: string, value: string): Promise<string | null>;
}

/** Works under the lock once. @returns the number of re-entries, and of wrong counts among them */
export type UnderLock = (
  section: () => Promise<void>,
  turn: number,
) => Promise<{ reentries: number; wrongCounts: number } | undefined>;

/** Runs loops that work under the lock until the time is over. */
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

// The count is read and written separately, so that a second client inside loses an update even if it is not noticed.
async function createSection(redis: SectionRedis, side: string, key: string) {
  const traces = getTraceKeys(key);
  const overlaps = (await redis.incr(traces.inside)) === 1 ? 0 : 1;
  const before = Number(await redis.get(traces.count));
  const handOvers = (await redis.getset(traces.last, side)) === side ? 0 : 1;
  await redis.set(traces.count, String(before + 1));
  await redis.decr(traces.inside);
  return { overlaps, handOvers };
}
