/** Counts of the critical sections that one peer executed under the lock. */
export interface Tally {
  /** Number of critical sections. */
  readonly sections: number;
  /** Number of sections that overlapped with another section. */
  readonly overlaps: number;
  /** Number of sections that followed a section of another peer. */
  readonly handOvers: number;
  readonly reentries: number;
  /** Number of re-entries for which the count in Redis was not 2 inside the section and 1 after it. */
  readonly wrongCounts: number;
}

const NOTHING: Tally = { sections: 0, overlaps: 0, handOvers: 0, reentries: 0, wrongCounts: 0 };

export function sumTallies(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, one) => ({
      sections: sum.sections + one.sections,
      overlaps: sum.overlaps + one.overlaps,
      handOvers: sum.handOvers + one.handOvers,
      reentries: sum.reentries + one.reentries,
      wrongCounts: sum.wrongCounts + one.wrongCounts,
    }),
    NOTHING,
  );
}

/**
 * Returns the Redis keys in which the sections of all peers leave their traces, to detect overlaps and lost updates.
 */
export const getTraceKeys = (key: string) => ({
  inside: `inside:${key}`,
  count: `count:${key}`,
  last: `last:${key}`,
});
