/** A library or method of locking under test, with its own connection. */
export interface Contender {
  readonly name: string;
  /** Description of the settings that differ from the library's defaults. */
  readonly settings: string;
  /** Acquires the lock and returns a function that releases it. */
  acquire(key: string): Promise<Release>;
  close(): void;
}

export type Release = () => Promise<unknown>;

export const LEASE_MS = 30_000;
