import type { Key } from "../../lib/keys/key.ts";

/** The verbs that are counted, timed and traced. */
export const VERBS = [
  "acquire",
  "acquire_all",
  "reenter",
  "renew",
  "downgrade",
  "release",
  "await",
  "signal",
  "verify",
  "reserve",
  "force_release",
] as const;
export type Verb = (typeof VERBS)[number];

/** The data about a verb call that statistics, metrics and traces need. Stays in memory while the request waits. */
export interface VerbCall {
  readonly verb: Verb;
  readonly target: string;
  /** Key of the lock. If the call is about several locks, the first key of the request. */
  readonly key: Key;
  /** Fencing token of the hold, if the request contains a fencing token. */
  readonly fence: string | undefined;
  /** Requested format; `undefined` if the request does not specify a format. */
  readonly format: string | undefined;
  /** Whether the request waits if the lock is not available. */
  readonly waits: boolean;
}

/** The result of a verb call. `outcome` is the outcome of the response (`granted`, `not_held`) or an error code. */
export interface VerbEnd {
  readonly outcome: string;
  /** Time in ms from the arrival of the request to the attempt that was granted. */
  readonly waitedMs?: number | undefined;
}

/** The fields of a request from which a `VerbCall` is created. */
interface VerbRequest {
  readonly fence?: string | undefined;
  readonly format?: string | undefined;
  readonly waitMs?: number | undefined;
}

export function toVerbCall(verb: Verb, target: string, key: Key, request: VerbRequest): VerbCall {
  const { fence, format, waitMs = 0 } = request;
  return { verb, target, key, fence, format, waits: waitMs > 0 };
}
