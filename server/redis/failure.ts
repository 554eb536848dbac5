import { type RefusalReason, WRITE_REFUSALS, type WriteRefusal } from "../../lib/contract/refusal.ts";
import type { Key } from "../../lib/keys/key.ts";

/**
 * What a failed call means for what it asked.
 *
 * `not_executed`: Redis certainly did nothing; it can be sent again as it is.
 * `unknown`: the reply was lost, the script may have run; only the same request id may be sent again.
 * `fault`: Redis answered with an error that repeating does not change.
 */
export type Failure = "not_executed" | "unknown" | "fault";

// Redis 6.2 wraps what a command inside a script was refused with: "ERR Error running script (…): … -OOM …".
const ERROR_CODE = /^(?:ERR Error running script .*: -)?([A-Z][A-Z0-9]+)\b/;
// Redis refuses these before a script's first write takes effect.
const REFUSED = new Set(
  "NOSCRIPT READONLY LOADING MASTERDOWN CLUSTERDOWN TRYAGAIN MOVED ASK NOREPLICAS NOAUTH NOPERM WRONGPASS BUSY MISCONF OOM".split(
    " ",
  ),
);
const NO_MASTER = new Set(["READONLY", "LOADING", "MASTERDOWN"]);
const REDIRECT = new Set(["MOVED", "ASK", "TRYAGAIN"]);
const LASTING = new Set(["NOAUTH", "NOPERM", "WRONGPASS", "OOM", "MISCONF"]);
const REASON_OF_CODE: ReadonlyMap<string, RefusalReason> = new Map([
  ["NOREPLICAS", "no_replicas"],
  ["MISCONF", "persistence_failed"],
  ["OOM", "out_of_memory"],
  ["READONLY", "read_only"],
  ["CLUSTERDOWN", "cluster_down"],
  ["MASTERDOWN", "master_down"],
  ["LOADING", "loading"],
  ["BUSY", "busy_script"],
  ["NOPERM", "no_permission"],
  ["NOAUTH", "no_auth"],
  ["WRONGPASS", "no_auth"],
]);
const NEVER_SENT = "Stream isn't writeable and enableOfflineQueue options is false";
// A slot that is being moved away ended a script in its middle: what a key was deleted for, and made again, is elsewhere.
const HALFWAY = /script attempted to access a non local key/i;

/** An answer that a script of ours cannot have given: a fault of ours, and no reason to ask again. */
export class UnexpectedReplyError extends Error {}

/** There was no connection to send a call on. */
export class NeverSentError extends Error {}

/** Redis did not finish a reply in time that has these keys in it: the content of one of them keeps it back. */
export class ReadTimeoutError extends Error {
  constructor(readonly keys: readonly Key[]) {
    super(TIMED_OUT);
  }
}

const TIMED_OUT = "Command timed out";

/** Whether the reply to a command did not arrive in time, over a connection that stood. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === TIMED_OUT;
}

/** The error code of a reply, such as "OOM", also of one inside a script; undefined: `error` has none. */
export function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error ? ERROR_CODE.exec(error.message)?.[1] : undefined;
}

/**
 * Why Redis refused a command.
 *
 * @returns undefined if `error` is not a refusal. A transaction is refused with the reason of its first command that was.
 */
export function findRefusal(error: unknown): RefusalReason | undefined {
  if (!(error instanceof Error)) return undefined;
  const queued = "previousErrors" in error && Array.isArray(error.previousErrors) ? error.previousErrors : [];
  for (const each of [...queued, error]) {
    const reason = REASON_OF_CODE.get(readErrorCode(each) ?? "");
    if (reason !== undefined) return reason;
  }
  return undefined;
}

export function isWriteRefusal(reason: RefusalReason | undefined): reason is WriteRefusal {
  return WRITE_REFUSALS.some((each) => each === reason);
}

export function classifyFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return "fault";
  if (error instanceof NeverSentError || error.message === NEVER_SENT) return "not_executed";
  if (error instanceof UnexpectedReplyError) return "fault";
  if (REFUSED.has(readErrorCode(error) ?? "")) return "not_executed";
  if (HALFWAY.test(error.message)) return "unknown";
  return isReplyError(error) ? "fault" : "unknown";
}

/** Whether it is what a server answered: there was one, and it took the call. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Whether it was said by a server that is no master, or not yet: another connection may come to the one that is. */
export function isNotMasterError(error: Error): boolean {
  return NO_MASTER.has(readErrorCode(error) ?? "");
}

/** Whether a cluster node sent the command elsewhere, because the slot is at another node or on its way to one. */
export function isRedirectError(error: unknown): boolean {
  return isReplyError(error) && REDIRECT.has(readErrorCode(error) ?? "");
}

/** Whether another moment or another connection can help. */
export function isTransient(error: unknown): boolean {
  return !LASTING.has(readErrorCode(error) ?? "");
}
