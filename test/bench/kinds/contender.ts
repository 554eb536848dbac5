import type { WritableKind } from "../../../lib/contract/format.ts";

/** A latch has no pairs, only wake-ups. */
export type BenchKind = WritableKind | "latch";

export interface PairsPlan {
  readonly kind: WritableKind;
  /** The locks are `prefix:0`, `prefix:1`, … in turn. */
  readonly prefix: string;
  readonly names: number;
  readonly inFlight: number;
  readonly forMs: number;
  /** Permits of each semaphore; an acquire takes one. */
  readonly limit: number;
}

export interface PairsDone {
  readonly pairs: number;
  readonly ms: number;
  /** CPU time of the client process. */
  readonly cpuMicros: number;
}

/** The process that acquires locks and releases them. */
export interface Holder {
  /** Creates the semaphores of a plan, which Redisson's clients expect to exist. */
  prepare(plan: PairsPlan): Promise<unknown>;
  runPairs(plan: PairsPlan): Promise<PairsDone>;
  /** Acquires a lock that another process waits for; closes a latch. A semaphore has one permit. */
  hold(kind: BenchKind, key: string): Promise<unknown>;
  /** Returns the time before the release, in ms of a clock that all processes share. */
  release(kind: BenchKind, key: string): Promise<number>;
}

/** Another process. */
export interface Waiter {
  /** Returns the time of the grant, or of the wake-up from a latch. The lock is released by then. */
  wait(kind: BenchKind, key: string): Promise<number>;
}

/** A library with several kinds of lock. */
export interface KindsContender extends Holder {
  readonly name: "ours" | "redisson";
  readonly settings: string;
  readonly waiter: Waiter;
}
