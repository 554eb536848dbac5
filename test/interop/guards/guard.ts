export type WriteOutcome = "written" | "refused";

/** A connection that writes to a fenced resource in one of the ways documented in docs/guards. */
export interface GuardedWriter {
  write(resource: string, fence: string, value: string): Promise<WriteOutcome>;
  close(): Promise<void>;
}

/** A store whose guard is tested. */
export interface GuardedStore {
  readonly ways: readonly string[];
  createWriter(way: string): Promise<GuardedWriter>;
  /** Creates a resource that has not been written yet. */
  create(resource: string): Promise<void>;
  readStored(resource: string): Promise<{ readonly fence: string; readonly value: string }>;
  /** Lists the fencing tokens of the accepted writes, in the order in which the store executed them. */
  written(resource: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
