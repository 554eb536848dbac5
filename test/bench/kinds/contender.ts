import type { WritableKind } from "../../../lib/contract/format.ts";

/** A kind of lock to measure, or a latch. A latch has no acquire and release pairs, only wake-ups. */
export type BenchKind = WritableKind | "latch";

export interface PairsPlan {
  readonly kind: WritableKind;
  /** Prefix of the lock names, which are `prefix:0`, `prefix:1`, … in turn. */
  readonly prefix: string;
  readonly names: number;
  readonly inFlight: number;
  readonly forMs: number;
  /** Number of permits of each semaphore. An acquire takes one. */
  readonly limit: number;
}

export interface PairsDone {
  readonly pairs: number;
  readonly ms: number;
  /** CPU time of the client process, in µs. */
  readonly cpuMicros: number;
}

/** A process that acquires and releases locks. */
export interface Holder {
  /** Creates the semaphores of a plan, if the library does not create them on the first acquire. */
  prepare(plan: PairsPlan): Promise<unknown>;
  runPairs(plan: PairsPlan): Promise<PairsDone>;
  /** Acquires the lock or closes the latch that the waiter waits for. A semaphore gets one permit. */
  hold(kind: BenchKind, key: string): Promise<unknown>;
  /**
   * Releases the lock or opens the latch.
   *
   * @returns the time just before the release, in ms on a clock that all processes share
   */
  release(kind: BenchKind, key: string): Promise<number>;
}

/** A process that waits for locks and latches. */
export interface Waiter {
  /**
   * Waits for a lock and releases it again, or waits for a latch to open.
   *
   * @returns the time of the grant or wake-up, in ms on the clock of `Holder.release`
   */
  wait(kind: BenchKind, key: string): Promise<number>;
}

/** A library with several kinds of locks, and the two processes that use it. */
export interface KindsContender extends Holder {
  readonly name: "ours" | "redisson";
  readonly settings: string;
  readonly waiter: Waiter;
}
