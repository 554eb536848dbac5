import type { FormatRules } from "../formats/format-rules.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import type { LockIndexDeps } from "./index/query-context.ts";

export interface WatcherOptions {
  readonly target: string;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  /**
   * Whether the watcher must not write to Redis. If true, the watcher writes neither the canary nor the notification
   * setting.
   */
  readonly readOnly?: boolean;
  /** Rules that define the format of keys and which keys can be acquired through the API. */
  readonly rules?: FormatRules;
  /** Runbook URLs by key pattern. */
  readonly runbooks?: Runbooks;
  /** Maximum number of locks in the index. Unlimited by default. */
  readonly locksMax?: number;
  /** Pause, in ms, between scans for missed changes while notifications arrive. The default is 30,000 ms. */
  readonly reconcileEveryMs?: number;
  /** Returns a hold's state as stored before this process started, or `undefined` if no state was stored. */
  readonly restoreHold?: LockIndexDeps["restoreHold"];
}
