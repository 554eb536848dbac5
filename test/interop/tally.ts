/** The counts of one side while it worked under the lock. */
export interface Tally {
  /** Executed critical sections. */
  readonly sections: number;
  /** Sections that overlapped with another one. */
  readonly overlaps: number;
  /** Sections that followed one of another side. */
  readonly handOvers: number;
  readonly reentries: number;
  /** Re-entries whose count in Redis was not 2 inside and 1 afterwards. */
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

/** The keys in which the sections of a lock leave their traces, the same for each side. */
export const getTraceKeys = (key: string) => ({
  inside: `inside:${key}`,
  count: `count:${key}`,
  last: `last:${key}`,
});
