import type { Redis } from "ioredis";
import { assert, expect } from "./figures.ts";
import type { Peer } from "./peer.ts";
import { getTraceKeys, sumTallies, type Tally } from "./tally.ts";

/** A peer process and the number of its loops or threads that contend. */
export interface Contender {
  readonly peer: Peer;
  readonly loops: number;
}

/**
 * Makes all contenders compete for one lock and modify the same keys under it. Fails if two sections overlap or an
 * update is lost.
 *
 * @param key key of the lock. The names of the modified keys are derived from it
 * @returns the sum of all tallies, and a line for the output
 */
export async function contend(
  redis: Redis,
  key: string,
  forMs: number,
  contenders: readonly Contender[],
): Promise<{ total: Tally; line: string }> {
  const traces = getTraceKeys(key);
  await redis.set(traces.count, "0");
  const tallies = await Promise.all(
    contenders.map(({ peer, loops }) => peer.ask<Tally>("contend", [key, forMs, loops], forMs)),
  );
  const total = sumTallies(tallies);
  expect("sections that found somebody else inside", total.overlaps, 0);
  expect("sections by the shared counter", Number(await redis.get(traces.count)), total.sections);
  expect("still inside", await redis.get(traces.inside), "0");
  expect("the lock after all", await redis.exists(key), 0);
  contenders.forEach(({ peer }, index) => {
    assert((tallies[index]?.sections ?? 0) > 0, () => `${peer.name} never got the lock`);
  });
  return { total, line: formatLine(contenders, tallies, total) };
}

function formatLine(contenders: readonly Contender[], tallies: readonly Tally[], total: Tally): string {
  const shares = contenders.map(({ peer }, index) => `${peer.name} ${tallies[index]?.sections}`);
  const re = total.reentries > 0 ? `, ${total.reentries} re-entered` : "";
  return `${total.sections} sections (${shares.join(", ")})${re}, ${total.handOvers} changes of side, 0 overlaps, counter exact`;
}
