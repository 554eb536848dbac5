export type WriteOutcome = "written" | "refused";

/** One connection that writes into a fenced resource, by one of the ways that docs/guards shows. */
export interface GuardedWriter {
  write(resource: string, fence: string, value: string): Promise<WriteOutcome>;
  close(): Promise<void>;
}

/** A store whose guard is tried. */
export interface GuardedStore {
  readonly ways: readonly string[];
  createWriter(way: string): Promise<GuardedWriter>;
  /** A resource that nobody has written yet. */
  create(resource: string): Promise<void>;
  readStored(resource: string): Promise<{ readonly fence: string; readonly value: string }>;
  /** Fences of what was written, in the order of the store itself. */
  written(resource: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
