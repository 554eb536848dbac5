/** A request to the process whose workers wait for each other's locks. */
export type WaitsRequest =
  /** Starts the workers. Each holds a lock of its own while it acquires one of the shared locks, again and again. */
  | { readonly do: "start"; readonly workers: number; readonly locks: number }
  | { readonly do: "count" | "stop" };

export interface WaitsResponse {
  /** Number of times that a shared lock was acquired and released since the process started. */
  readonly pairs: number;
}
