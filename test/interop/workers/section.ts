import { getTraceKeys, sumTallies, type Tally } from "../tally.ts";

/** Up to this between two turns of a loop, where one side polls: it finds the lock free only between turns of the other. */
export const PAUSE_MS = 4;

/** The few commands that a section needs, of whichever version of the client. */
export interface SectionRedis {
  incr(key: string): Promise<number>;
  decr(key: string): Promise<number>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  getset(key: string, value: string): Promise<string | null>;
}

/** Works under the lock once. @returns how often the lock was re-entered, and with how many wrong counts */
export type UnderLock = (
  section: () => Promise<void>,
  turn: number,
) => Promise<{ reentries: number; wrongCounts: number } | undefined>;

/** A few loops work under the lock until the time is over. */
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

// The count is read and written apart, so that a second one inside loses an update even if it goes unseen.
async function createSection(redis: SectionRedis, side: string, key: string) {
  const traces = getTraceKeys(key);
  const overlaps = (await redis.incr(traces.inside)) === 1 ? 0 : 1;
  const before = Number(await redis.get(traces.count));
  const handOvers = (await redis.getset(traces.last, side)) === side ? 0 : 1;
  await redis.set(traces.count, String(before + 1));
  await redis.decr(traces.inside);
  return { overlaps, handOvers };
}
