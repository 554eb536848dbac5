import type { RequestError } from "@/lib/api/request.ts";
import type { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import type { ReleaseRequest } from "@/lib/contract/holds/release-request.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { canAskHolder, findReleaseRequest, pickNewerRequest } from "../lock-facts/release-request.ts";
import { preselectMethod } from "./preselection.ts";
import type { ReleaseMethod } from "./release-methods.ts";

/** Duration, in ms, of the reservation that can follow a release. */
export const RESERVE_MS = 60_000;

/** The validation error that prevented the dialog from sending the request, or the error from the request. */
export type ReleaseFault =
  | "reason_missing"
  | "reason_too_long"
  | "format_missing"
  | "target_unconfirmed"
  | RequestError;

/**
 * The step of the dialog. `refused`: the server refused the request because the hold had changed. `unverified`: the
 * server could not verify the hold, and the operator can release the current hold in a second, explicit step.
 * `unknown`: the outcome of the request is not known. `done`: the server processed the release; `waited` contains the
 * waiters as last read before the release, or `undefined` if they were not read.
 */
export type ReleaseStep =
  | { at: "choosing"; error?: ReleaseFault }
  | { at: "sending" }
  | { at: "refused"; lock: Lock | undefined }
  | { at: "unverified"; lock: Lock }
  | { at: "unknown"; why: RequestError }
  | { at: "done"; result: ForceReleased; waited: LockWaiters | undefined };

/** The subject of the dialog: a lock, or one of its holders. */
export interface ReleaseSubject {
  readonly lock: Lock;
  readonly holder?: Holder | undefined;
}

/**
 * How the release method was chosen: `preselected` from the evidence, `chosen` by the operator, not chosen yet
 * (`open`), or `cleared` because the preselected method no longer matched the evidence. The dialog never replaces a
 * choice with another method.
 */
export type ReleaseChoice =
  | { is: "preselected" | "chosen"; method: ReleaseMethod }
  | { is: "open" | "cleared"; method: null };

export interface ReleaseState {
  /** The lock as it was when the review began. A release applies only to this hold, except in the `unverified` step. */
  seen: Lock;
  /** The holder to release if the lock has several holders; `undefined` for the whole lock. */
  holder: Holder | undefined;
  /** The time by which the hold had ended, in Unix milliseconds on the Redis clock; `null` while the hold lasts. */
  endedAt: number | null;
  /** The lock format that the operator selected. `null` if none was selected, or if the value determines the format. */
  format: FormatName | null;
  choice: ReleaseChoice;
  reason: string;
  /** The text that the operator entered for confirmation. It must match the label of the target. */
  confirmation: string;
  /**
   * Whether the holder received release requests when the review began. Not updated later, because the options must not
   * move while the operator reads them.
   */
  canAsk: boolean;
  /** The latest release request for the hold; `null` if there was none. Kept after the hold has ended. */
  request: ReleaseRequest | null;
  /** The id of the latest request that this dialog sent for the hold; `null` if it sent none. */
  sentRequestId: string | null;
  step: ReleaseStep;
}

export type ReleaseAction =
  | { type: "choose"; method: ReleaseMethod }
  | { type: "clear_preselection" }
  | { type: "reason"; reason: string }
  | { type: "confirmation"; confirmation: string }
  | { type: "format"; format: FormatName }
  | { type: "sent" }
  | { type: "step"; step: ReleaseStep }
  | { type: "ended"; at: number }
  /** This dialog sent a release request. */
  | { type: "asked"; request: ReleaseRequest }
  /** The live stream reported a release request of any operator, or the holder's response. */
  | { type: "request"; request: ReleaseRequest }
  /** Starts the review of another hold and resets all inputs. */
  | { type: "review"; subject: ReleaseSubject; now: number };

/**
 * Creates the state of the dialog at the start of a review.
 *
 * @param now Redis clock in Unix milliseconds
 */
export function createReleaseState({ lock, holder }: ReleaseSubject, now: number): ReleaseState {
  const method = preselectMethod(lock, holder, now);
  const choice: ReleaseChoice = method === null ? { is: "open", method } : { is: "preselected", method };
  return {
    ...{ seen: lock, holder, endedAt: null, format: null, choice, reason: "", confirmation: "" },
    ...{ canAsk: canAskHolder(lock, holder), request: findReleaseRequest(lock, holder), sentRequestId: null },
    step: { at: "choosing" },
  };
}

/**
 * Returns the version of the reviewed hold, to send with a release or a release request; `null` if the lock was not
 * held.
 */
export function getExpectedVersion({ seen, holder }: ReleaseState): string | null {
  return holder === undefined ? seen.version : holder.version;
}

export function reduceReleaseState(state: ReleaseState, action: ReleaseAction): ReleaseState {
  switch (action.type) {
    case "choose":
      return { ...state, choice: { is: "chosen", method: action.method }, step: { at: "choosing" } };
    case "clear_preselection":
      return state.choice.is === "preselected"
        ? { ...state, choice: { is: "cleared", method: null } }
        : state;
    case "reason":
      return { ...state, reason: action.reason, step: clearError(state.step) };
    case "confirmation":
      return { ...state, confirmation: action.confirmation, step: clearError(state.step) };
    case "format":
      return { ...state, format: action.format, step: clearError(state.step) };
    case "sent":
      return { ...state, step: { at: "sending" } };
    case "step":
      return { ...state, step: action.step };
    case "ended":
      // The end event can arrive after the new state of the lock, so a later report can only move the end to an earlier
      // time.
      return { ...state, endedAt: Math.min(state.endedAt ?? action.at, action.at) };
    case "asked":
      return {
        ...state,
        ...{
          request: pickNewerRequest(state.request, action.request),
          sentRequestId: action.request.requestId,
        },
        ...{ choice: { is: "open", method: null }, step: { at: "choosing" } },
      };
    case "request":
      return { ...state, request: pickNewerRequest(state.request, action.request) };
    case "review":
      return createReleaseState(action.subject, action.now);
  }
}

function clearError(step: ReleaseStep): ReleaseStep {
  return step.at === "choosing" ? { at: "choosing" } : step;
}

/**
 * What the dialog releases. `lock`: the whole lock. `latch`: a latch, which the release opens. Other values: one
 * participant of a shared lock.
 */
export type ReleasePart = "lock" | "reader" | "writer" | "permits" | "holder" | "latch";

export function getReleasePart({ lock, holder }: ReleaseSubject): ReleasePart {
  if (lock.kind === "latch") return "latch";
  // A semaphore with a single holder is released as a whole.
  if (holder === undefined) return "lock";
  if (lock.kind === "semaphore") return "permits";
  return holder.role === "read" ? "reader" : holder.role === "write" ? "writer" : "holder";
}

/**
 * Returns the subject of the next review after the hold has changed. After the review of a participant, never returns
 * the whole lock, because releasing the whole lock would affect other participants.
 *
 * @param before the participant that was reviewed; `undefined` for the whole lock
 * @returns `undefined` if the owner of the participant has no hold, or more than one hold, in the same role
 */
export function findReviewSubject(lock: Lock, before: Holder | undefined): ReleaseSubject | undefined {
  if (before === undefined) return { lock };
  const [holder, second] = lock.holders.filter(
    ({ owner, role }) => owner === before.owner && role === before.role,
  );
  return holder === undefined || second !== undefined ? undefined : { lock, holder };
}
