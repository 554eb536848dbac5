/** The counts of one side while it read and wrote under the lock. */
export interface ReadWriteTally {
  readonly reads: number;
  readonly writes: number;
  /** Sections that overlapped with a writer, or writers that overlapped with readers. */
  readonly overlaps: number;
  /** Reads that overlapped with another reader. */
  readonly shared: number;
  /** Writes that continued as reads. */
  readonly downgrades: number;
  /** The longest wait for the lock, in ms. */
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
