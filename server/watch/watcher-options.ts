import type { FormatRules } from "../formats/format-rules.ts";
import type { Runbooks } from "./annotations/runbooks.ts";
import type { LockIndexDeps } from "./index/query-context.ts";

export interface WatcherOptions {
  readonly target: string;
  readonly watch: readonly string[];
  readonly notifications: "off" | "set";
  /** Nothing is ever written: no canary, no setting. */
  readonly readOnly?: boolean;
  /** Which keys are of which format where detection cannot decide. */
  readonly rules?: FormatRules;
  /** Links to what to read about a lock. */
  readonly runbooks?: Runbooks;
  /** At most so many locks are kept in the index. */
  readonly locksMax?: number;
  /** How often all keys are scanned for changes that were missed. */
  readonly reconcileEveryMs?: number;
  /** Returns a hold as it was known before this process started. */
  readonly restoreHold?: LockIndexDeps["restoreHold"];
}
