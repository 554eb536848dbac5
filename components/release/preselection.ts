import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { computeSubjectRemainingMs } from "../lock-facts/lock-texts.ts";
import { findReleaseRequest } from "../lock-facts/release-request.ts";
import { findReleaseMethods, type ReleaseMethod } from "./release-methods.ts";

/**
 * Maximum remaining time, in ms, of a lease that counts as short. A short lease is likely to expire while the operator
 * reads the dialog.
 */
export const SHORT_LEASE_MS = 30_000;

/**
 * How the dialog preselects a method. `release_unless_short`: waits for a short lease to expire, otherwise releases.
 * `wait_if_short`: waits for a short lease to expire, otherwise preselects nothing. `ask_once`: asks the holder unless
 * it was asked before. `none`: preselects nothing.
 */
type Advice = "release_unless_short" | "wait_if_short" | "ask_once" | "none";

const ADVICE: Readonly<Record<LivenessState, Advice>> = {
  // The renewals have stopped, so the holder has probably crashed or is stuck.
  overdue: "release_unless_short",
  // The holder does not renew, so the lease expires on time. Whether the holder is still working is not known.
  not_renewing: "wait_if_short",
  // The holder renews, so a release would take the lock from a working client. The holder may accept release requests.
  alive: "ask_once",
  // Whether the holder renews is not known.
  unknown: "none",
  // There is no evidence that the holder is working, and the lock never expires.
  no_ttl: "none",
};

/**
 * Returns the release method to preselect, based on the evidence about the holder; `null` if the operator must choose.
 *
 * @param only the holder to release, whose own remaining time is used; `undefined` for the whole lock
 * @param now Redis clock in Unix milliseconds
 * @param request the latest release request for the hold; defaults to the request in `lock`
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
 * Returns whether the preselected method no longer matches the evidence. A preselected `release` remains valid when the
 * remaining time drops to 30 s or less, because the choice must not change while the operator reads.
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

/**
 * Returns whether the holder can be asked and has not been asked before. After the holder has answered, the operator
 * must choose.
 */
function isAskable(lock: Lock, only: Holder | undefined, request: ReleaseRequest | null): boolean {
  return request === null && findReleaseMethods(lock, only, request).get("ask") === null;
}
