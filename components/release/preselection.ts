import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { computeSubjectRemainingMs } from "../lock-facts/lock-texts.ts";
import { findReleaseRequest } from "../lock-facts/release-request.ts";
import { findReleaseMethods, type ReleaseMethod } from "./release-methods.ts";

/** Maximum length of a short lease in ms. Such a lease expires before an operator has read the dialog. */
export const SHORT_LEASE_MS = 30_000;

/** The action that each liveness state suggests. */
type Advice = "release_unless_short" | "wait_if_short" | "ask_once" | "none";

const ADVICE: Readonly<Record<LivenessState, Advice>> = {
  // The renewals have stopped, so the holder has crashed or is stuck.
  overdue: "release_unless_short",
  // The holder does not renew, so the lease expires on time. It is unknown whether the holder is working.
  not_renewing: "wait_if_short",
  // The holder renews, so a release would take the lock from a working client. The holder may receive release requests.
  alive: "ask_once",
  // The holder may or may not renew.
  unknown: "none",
  // There is no evidence that the holder is working, and waiting for expiry is not possible.
  no_ttl: "none",
};

/**
 * Returns the action that the evidence supports, or `null` if the operator must choose.
 *
 * @param only one of several holders, whose own lease applies
 * @param now Redis clock in Unix milliseconds
 * @param request the latest release request of the hold, if it is newer than the lock
 */
export function preselectMethod(
  lock: Lock,
  only: Holder | undefined,
  now: number,
  request: ReleaseRequest | null = findReleaseRequest(lock, only),
): ReleaseMethod | null {
  const advice = ADVICE[lock.liveness?.state ?? "unknown"];
  if (advice === "none") return null;
  if (advice === "ask_once") return isAskable(lock, only, request) ? "ask" : null;
  const remainingMs = computeSubjectRemainingMs(lock, only, now);
  const isShort = remainingMs !== null && remainingMs <= SHORT_LEASE_MS;
  if (isShort && findReleaseMethods(lock, only).get("wait") === null) return "wait";
  return advice === "release_unless_short" ? "release" : null;
}

/**
 * Returns whether a preselection that the operator left unchanged has become wrong. Ignores that a lease drops below 30
 * s, because the choice must not change while the operator reads.
 */
export function isPreselectionWrong(
  preselected: ReleaseMethod,
  lock: Lock,
  only: Holder | undefined,
  now: number,
  request?: ReleaseRequest | null,
): boolean {
  if (preselected !== "release") return preselectMethod(lock, only, now, request) !== preselected;
  return ADVICE[lock.liveness?.state ?? "unknown"] !== "release_unless_short";
}

/** Returns whether the holder can be asked and has not been asked. After an answer, the operator must choose. */
function isAskable(lock: Lock, only: Holder | undefined, request: ReleaseRequest | null): boolean {
  return request === null && findReleaseMethods(lock, only, request).get("ask") === null;
}
