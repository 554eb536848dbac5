/** A way to lock, on one connection of its own. */
export interface Contender {
  readonly name: string;
  /** How it is set up, where that is not its default. */
  readonly settings: string;
  /** Takes the lock, and gives what releases it. */
  acquire(key: string): Promise<Release>;
  close(): void;
}

export type Release = () => Promise<unknown>;

export const LEASE_MS = 30_000;
