import type { Key } from "../../lib/keys/key.ts";

/** The verbs that are counted, timed and traced. */
export const VERBS = [
  "acquire",
  "reenter",
  "renew",
  "release",
  "verify",
  "reserve",
  "force_release",
] as const;
export type Verb = (typeof VERBS)[number];

/** A call of a verb, as far as figures need it. It stays in memory while a request waits. */
export interface VerbCall {
  readonly verb: Verb;
  readonly target: string;
  readonly key: Key;
  /** Of a hold: its fencing token. */
  readonly fence: string | undefined;
  /** undefined: the lock's own, whatever it is. */
  readonly format: string | undefined;
  /** It may be held open until the lock is free. */
  readonly waits: boolean;
}

/** How it ended. `outcome`: what the answer says (`granted`, `not_held`), or the code of an error. */
export interface VerbEnd {
  readonly outcome: string;
  /** From the request's arrival to the look that was granted. */
  readonly waitedMs?: number | undefined;
}

/** What a request asks for. */
interface VerbRequest {
  readonly fence?: string | undefined;
  readonly format?: string | undefined;
  readonly waitMs?: number | undefined;
}

export function toVerbCall(verb: Verb, target: string, key: Key, request: VerbRequest): VerbCall {
  const { fence, format, waitMs = 0 } = request;
  return { verb, target, key, fence, format, waits: waitMs > 0 };
}
