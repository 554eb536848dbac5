import type { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import type { SafetyOptions } from "../locks/verbs/safety.ts";
import type { Runbook } from "../watch/annotations/runbook.ts";

/**
 * The keys that Lockkeeper watches on a target, the keys that clients may lock, and whether the target is read-only.
 */
export interface TargetPolicy {
  /** Glob patterns of the watched keys. They always include the patterns in `lockable`. */
  readonly watch: readonly string[];
  /** Glob patterns of the keys that clients may lock through the API. */
  readonly lockable: readonly string[];
  /** Whether the target is read-only. If true, Lockkeeper never writes to the target. */
  readonly readOnly: boolean;
  readonly notifications: "off" | "set";
}

/** The configuration of a target. */
export interface TargetSettings {
  readonly name: string;
  /** Name of the target in the console. */
  readonly label: string;
  /** A free-form name of the environment. On targets in `production`, bulk releases require confirmation. */
  readonly environment: string | undefined;
  /** Location of Redis; `undefined` for the embedded Redis. */
  readonly where: RedisLocation | undefined;
  /** Name of the setting that contains the address, for error messages, such as `REDIS_URL` or `targets[1].redis`. */
  readonly setting: string;
  readonly policy: TargetPolicy;
  /** Additional conditions for granting a lock. */
  readonly safety?: SafetyOptions;
  /**
   * Time, in ms, by which the timeout of each waiter in the queue of a fair lock exceeds that of the waiter ahead of
   * it. The default is 300,000.
   */
  readonly fairWaitMs?: number | undefined;
  /** Rules that assign formats to keys whose values are ambiguous. */
  readonly formatRules: readonly FormatRule[];
  /** Links to runbooks by key pattern. */
  readonly runbooks?: readonly Runbook[];
}
