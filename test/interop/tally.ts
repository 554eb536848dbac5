/** What a side has counted while it worked under the lock. */
export interface Tally {
  /** Critical sections carried out. */
  readonly sections: number;
  /** Sections that found somebody else inside. */
  readonly overlaps: number;
  /** Sections that followed one of another side. */
  readonly handOvers: number;
  readonly reentries: number;
  /** Re-entries whose count in Redis was not 2 inside and 1 after. */
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

/** Where the sections of a key leave their traces; each side writes the same. */
export const getTraceKeys = (key: string) => ({
  inside: `inside:${key}`,
  count: `count:${key}`,
  last: `last:${key}`,
});
