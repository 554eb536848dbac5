import type { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import type { RedisLocation } from "../locks/backends/open-backend.ts";
import type { SafetyOptions } from "../locks/verbs/safety.ts";
import type { Runbook } from "../watch/annotations/runbook.ts";

/** What may be done to a target, and what of it is looked at. */
export interface TargetPolicy {
  /** Glob patterns of keys to look at; always includes `lockable`. */
  readonly watch: readonly string[];
  /** Glob patterns of keys that the API may lock. */
  readonly lockable: readonly string[];
  /** Nothing is ever written to it. */
  readonly readOnly: boolean;
  readonly notifications: "off" | "set";
}

/** What the configuration says of a target. */
export interface TargetSettings {
  readonly name: string;
  /** As people call it. */
  readonly label: string;
  /** A free word; `production` wears the badge. */
  readonly environment: string | undefined;
  /** undefined: the embedded Redis. */
  readonly where: RedisLocation | undefined;
  /** Where the configuration says so, for messages: `REDIS_URL`, `targets[1].redis`. */
  readonly setting: string;
  readonly policy: TargetPolicy;
  /** What more is asked of it before a lock counts as granted. */
  readonly safety?: SafetyOptions;
  /** Which keys are of which format, where their shape does not tell. */
  readonly formatRules: readonly FormatRule[];
  /** What to read about locks, by their names. */
  readonly runbooks?: readonly Runbook[];
}
