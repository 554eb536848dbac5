/** Messages to and from the process that changes locks. */

export type ChangesRequest =
  /** Starts to change locks at a fixed rate. The response is sent once the changes run at that rate. */
  | {
      readonly do: "change";
      readonly perSecond: number;
      /** Number of lock names. Half of them are used by Lockkeeper's core. */
      readonly names: number;
      /** Whether a foreign lock gets a new name for each acquire. */
      readonly isOnceOnly?: boolean;
    }
  /** Acquires locks and renews each of them every `everyMs`. If `everyMs` is 0, the locks are not renewed. */
  | { readonly do: "keep"; readonly locks: number; readonly everyMs: number; readonly leaseMs: number }
  /** Pauses all changes until the next request. */
  | { readonly do: "pause" }
  | { readonly do: "report" };

export interface ChangesResponse {
  /** Number of changes since the last request. */
  readonly changes: number;
  readonly seconds: number;
  /** Number of calls that were refused or that failed. */
  readonly failed: number;
  readonly cpuMicros: number;
}
