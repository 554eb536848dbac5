/** Requests to the process whose workers wait for locks while they hold others. */
export type WaitsRequest =
  /**
   * Starts the workers. Each worker holds its own lock while it repeatedly acquires one of the `locks` shared locks.
   */
  | { readonly do: "start"; readonly workers: number; readonly locks: number }
  | { readonly do: "count" | "stop" };

export interface WaitsResponse {
  /** Number of times that a shared lock was acquired and released since the start of the process. */
  readonly pairs: number;
}
