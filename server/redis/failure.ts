import { type RefusalReason, WRITE_REFUSALS, type WriteRefusal } from "../../lib/contract/refusal.ts";
import type { Key } from "../../lib/keys/key.ts";

/**
 * Whether a failed call may have had an effect.
 *
 * - `not_executed`: Redis did nothing. The call can be repeated unchanged.
 * - `unknown`: the reply was lost, and the script may have run. Only the same request id may be sent again.
 * - `fault`: Redis returned an error that a repeated call would return again.
 */
export type Failure = "not_executed" | "unknown" | "fault";

// Redis 6.2 wraps the error of a command inside a script: "ERR Error running script (…): … -OOM …".
const ERROR_CODE = /^(?:ERR Error running script .*: -)?([A-Z][A-Z0-9]+)\b/;
// Errors with which Redis refuses a call before the first write of a script takes effect.
const REFUSED = new Set(
  "NOSCRIPT READONLY LOADING MASTERDOWN CLUSTERDOWN TRYAGAIN MOVED ASK NOREPLICAS NOAUTH NOPERM WRONGPASS BUSY MISCONF OOM".split(
    " ",
  ),
);
const NO_MASTER = new Set(["READONLY", "LOADING", "MASTERDOWN"]);
const REDIRECT = new Set(["MOVED", "ASK", "TRYAGAIN"]);
const LASTING = new Set(["NOAUTH", "NOPERM", "WRONGPASS", "OOM", "MISCONF"]);
const KEY_REFUSALS = new Set(["NOPERM", "TRYAGAIN"]);
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
// The error of a script that failed halfway because its slot is in migration. The script deleted a key, which can be
// created again only on the destination node.
const HALFWAY = /script attempted to access a non local key/i;

/**
 * The error for a reply that Lockkeeper's scripts cannot return. Such a reply indicates a defect in Lockkeeper, so
 * repeating the call does not help.
 */
export class UnexpectedReplyError extends Error {}

/** The error for a call that was not sent, for example because there was no connection or no master. */
export class NeverSentError extends Error {}

/** The error for a read whose reply did not arrive in time. One of the keys may be too large to read in time. */
export class ReadTimeoutError extends Error {
  constructor(readonly keys: readonly Key[]) {
    super(TIMED_OUT);
  }
}

const TIMED_OUT = "Command timed out";

/** Returns whether the reply to a command timed out while the connection stayed open. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === TIMED_OUT;
}

/**
 * Returns the code of an error reply, such as "OOM". If a command inside a script failed, returns the code of that
 * command's error. Returns `undefined` if the error has no code.
 */
export function readErrorCode(error: unknown): string | undefined {
  return error instanceof Error ? ERROR_CODE.exec(error.message)?.[1] : undefined;
}

/**
 * Returns whether Redis may have refused a call because of only one of its keys: permission for the key is missing, or
 * its slot is in migration.
 */
export function isKeyRefusal(error: unknown): boolean {
  return KEY_REFUSALS.has(readErrorCode(error) ?? "");
}

/**
 * Returns why Redis refused a command, or `undefined` if the code of `error` has no `RefusalReason`. For a transaction,
 * returns the reason for the first refused command.
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

/** Returns whether `error` is an error reply, which proves that a server received the call. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Rethrows `error` unless it is an error reply. */
export function throwUnlessReply(error: unknown): void {
  if (!isReplyError(error)) throw error;
}

/**
 * Returns whether the error shows that the server is not, or not yet, a master. A new connection may then reach the
 * master.
 */
export function isNotMasterError(error: Error): boolean {
  return NO_MASTER.has(readErrorCode(error) ?? "");
}

/**
 * Returns whether a cluster node redirected the command, because the key's slot is on another node or is being
 * migrated.
 */
export function isRedirectError(error: unknown): boolean {
  return isReplyError(error) && REDIRECT.has(readErrorCode(error) ?? "");
}

/** Returns whether a failure may be temporary. False only for NOAUTH, NOPERM, WRONGPASS, OOM and MISCONF. */
export function isTransient(error: unknown): boolean {
  return !LASTING.has(readErrorCode(error) ?? "");
}
