/** Messages between the benchmark and the processes of its workers. */

export interface ContendedRequest {
  readonly contender: string;
  readonly key: string;
  readonly workers: number;
  readonly forMs: number;
  readonly workMs: number;
}

/** One hold: when it was requested, granted and about to be released, in ms on a clock that all processes share. */
export type HoldTimes = readonly [asked: number, granted: number, released: number];

export type ContendedResponse =
  /** The holds of each worker. */
  { readonly workers: readonly (readonly HoldTimes[])[] } | { readonly failed: string };
