/** What a side has counted while it read and wrote under the lock. */
export interface ReadWriteTally {
  readonly reads: number;
  readonly writes: number;
  /** Sections that found a writer beside them, or readers beside a writer. */
  readonly overlaps: number;
  /** Reads that found another reader inside. */
  readonly shared: number;
  /** Writes that went on as reads. */
  readonly downgrades: number;
  /** The longest wait for the lock. */
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
