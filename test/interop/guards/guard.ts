export type WriteOutcome = "written" | "refused";

/** A connection that writes to a fenced resource, in one of the ways of docs/guards. */
export interface GuardedWriter {
  write(resource: string, fence: string, value: string): Promise<WriteOutcome>;
  close(): Promise<void>;
}

/** A store whose guard is tested. */
export interface GuardedStore {
  readonly ways: readonly string[];
  createWriter(way: string): Promise<GuardedWriter>;
  /** Creates a resource without a write. */
  create(resource: string): Promise<void>;
  readStored(resource: string): Promise<{ readonly fence: string; readonly value: string }>;
  /** Lists the fences of the writes, in the store's own order. */
  written(resource: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
