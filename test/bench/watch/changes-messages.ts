/** What the process that changes locks is told, and what it says. */

export type ChangesRequest =
  /** Begins at once; an answer comes when it goes on at its rate. */
  | {
      readonly do: "change";
      readonly perSecond: number;
      /** So many names, half of them for our own locks. */
      readonly names: number;
      /** Whether the locks of others get a new name each time. */
      readonly isOnceOnly?: boolean;
    }
  /** Takes so many locks, and renews each of them every `everyMs`; never: 0. */
  | { readonly do: "keep"; readonly locks: number; readonly everyMs: number; readonly leaseMs: number }
  /** Changes nothing until the next request. */
  | { readonly do: "pause" }
  | { readonly do: "report" };

export interface ChangesResponse {
  /** Since it was told what to do. */
  readonly changes: number;
  readonly seconds: number;
  /** Calls that were refused or failed. */
  readonly failed: number;
  readonly cpuMicros: number;
}
