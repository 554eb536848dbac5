/** Messages between the benchmark and the processes that run its workers. */

export interface ContendedRequest {
  readonly contender: string;
  readonly key: string;
  readonly workers: number;
  readonly forMs: number;
  readonly workMs: number;
}

/**
 * The times at which a hold was requested, was granted and was about to be released, in ms on a clock that all
 * processes share.
 */
export type HoldTimes = readonly [asked: number, granted: number, released: number];

export type ContendedResponse =
  /** The holds of each worker, or the reason for a failure. */
  { readonly workers: readonly (readonly HoldTimes[])[] } | { readonly failed: string };
