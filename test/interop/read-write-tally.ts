/** Counts of the sections that one peer executed under a read/write lock. */
export interface ReadWriteTally {
  readonly reads: number;
  readonly writes: number;
  /** Number of times that a section overlapped with a writer, or a writer with a reader. */
  readonly overlaps: number;
  /** Number of reads that overlapped with another reader. */
  readonly shared: number;
  /** Number of writes that were downgraded to reads. */
  readonly downgrades: number;
  /** Longest wait for the lock in ms. */
  readonly longestMs: number;
}

export const NO_READS_OR_WRITES: ReadWriteTally = {
  reads: 0,
  writes: 0,
  overlaps: 0,
  shared: 0,
  downgrades: 0,
  longestMs: 0,
};
