/** A way to lock, on its own connection. */
export interface Contender {
  readonly name: string;
  /** Settings that differ from the defaults. */
  readonly settings: string;
  /** Acquires the lock and returns a function that releases it. */
  acquire(key: string): Promise<Release>;
  close(): void;
}

export type Release = () => Promise<unknown>;

export const LEASE_MS = 30_000;
