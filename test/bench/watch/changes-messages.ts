/** Messages to and from the process that changes locks. */

export type ChangesRequest =
  /** Begins at once. The response is sent when it runs at its rate. */
  | {
      readonly do: "change";
      readonly perSecond: number;
      /** Number of names, half of them for Lockkeeper's locks. */
      readonly names: number;
      /** Whether foreign locks get a new name each time. */
      readonly isOnceOnly?: boolean;
    }
  /** Acquires locks and renews each of them every `everyMs`; 0 means never. */
  | { readonly do: "keep"; readonly locks: number; readonly everyMs: number; readonly leaseMs: number }
  /** Pauses all changes until the next request. */
  | { readonly do: "pause" }
  | { readonly do: "report" };

export interface ChangesResponse {
  /** Number of changes since the request. */
  readonly changes: number;
  readonly seconds: number;
  /** Number of calls that were refused or failed. */
  readonly failed: number;
  readonly cpuMicros: number;
}
