import type { FormatRules } from "../formats/format-rules.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import type { LockIndexDeps } from "./index/query-context.ts";

export interface WatcherOptions {
  readonly target: string;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  /** If true, Lockkeeper writes neither the canary nor the notification setting. */
  readonly readOnly?: boolean;
  /** Rules that set the format of keys and which keys may be acquired through the API. */
  readonly rules?: FormatRules;
  /** Links to documentation about locks. */
  readonly runbooks?: Runbooks;
  /** Maximum number of locks in the index. */
  readonly locksMax?: number;
  /** Interval of the scans for missed changes, in ms. */
  readonly reconcileEveryMs?: number;
  /** Returns the stored state of a hold from before this process started. */
  readonly restoreHold?: LockIndexDeps["restoreHold"];
}
