import type { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import type { SafetyOptions } from "../locks/verbs/safety.ts";
import type { Runbook } from "../watch/annotations/runbook.ts";

/** Which keys Lockkeeper watches on a target, and what it may write there. */
export interface TargetPolicy {
  /** Glob patterns of the watched keys, always including those of `lockable`. */
  readonly watch: readonly string[];
  /** Glob patterns of the keys that clients may lock through the API. */
  readonly lockable: readonly string[];
  /** If true, Lockkeeper never writes to the target. */
  readonly readOnly: boolean;
  readonly notifications: "off" | "set";
}

/** The configuration of a target. */
export interface TargetSettings {
  readonly name: string;
  /** The name that the console shows for the target. */
  readonly label: string;
  /** A free-form name. `production` requires confirmation of bulk releases. */
  readonly environment: string | undefined;
  /** `undefined` for the embedded Redis. */
  readonly where: RedisLocation | undefined;
  /** The setting that contains the address, as messages name it: `REDIS_URL`, `targets[1].redis`. */
  readonly setting: string;
  readonly policy: TargetPolicy;
  /** Additional conditions for granting a lock. */
  readonly safety?: SafetyOptions;
  /** The fair wait time in ms; 300,000 by default. */
  readonly fairWaitMs?: number | undefined;
  /** Rules that assign formats to keys whose values are ambiguous. */
  readonly formatRules: readonly FormatRule[];
  /** Links to runbooks by key pattern. */
  readonly runbooks?: readonly Runbook[];
}
