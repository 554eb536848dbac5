/**
 * What a failed call means for what it asked.
 *
 * `not_executed`: Redis certainly did nothing; it can be sent again as it is.
 * `unknown`: the reply was lost, the script may have run; only the same request id may be sent again.
 * `fault`: Redis answered with an error that repeating does not change.
 */
export type Failure = "not_executed" | "unknown" | "fault";

// Redis 6.2 wraps what a command inside a script was refused with: "ERR Error running script (…): … -OOM …".
const WRAPPED = "(?:ERR Error running script .*: -)?";
// Redis refuses these before a script's first write takes effect.
const REFUSED = new RegExp(
  `^${WRAPPED}(NOSCRIPT|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|MOVED|ASK|NOREPLICAS|NOAUTH|NOPERM|WRONGPASS|BUSY|MISCONF|OOM)\\b`,
);
const NO_MASTER = new RegExp(`^${WRAPPED}(READONLY|LOADING|MASTERDOWN)\\b`);
const LASTING = new RegExp(`^${WRAPPED}(NOAUTH|NOPERM|WRONGPASS|OOM|MISCONF)\\b`);
const NEVER_SENT = "Stream isn't writeable and enableOfflineQueue options is false";
// A slot that is being moved away ended a script in its middle: what a key was deleted for, and made again, is elsewhere.
const HALFWAY = /script attempted to access a non local key/i;

/** An answer that a script of ours cannot have given: a fault of ours, and no reason to ask again. */
export class UnexpectedReplyError extends Error {}

/** There was no connection to send a call on. */
export class NeverSentError extends Error {}

export function classifyFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return "fault";
  if (error instanceof NeverSentError || error.message === NEVER_SENT) return "not_executed";
  if (error instanceof UnexpectedReplyError) return "fault";
  if (REFUSED.test(error.message)) return "not_executed";
  if (HALFWAY.test(error.message)) return "unknown";
  return isReplyError(error) ? "fault" : "unknown";
}

/** Whether it is what a server answered: there was one, and it took the call. */
export function isReplyError(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Whether it was said by a server that is no master, or not yet: another connection may come to the one that is. */
export function isNotMasterError(error: Error): boolean {
  return NO_MASTER.test(error.message);
}

/** Whether another moment or another connection can help. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof Error) || !LASTING.test(error.message);
}
