import type { RequestError } from "@/lib/api/request.ts";
import type { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { findReleaseMethods, type ReleaseMethod } from "./release-methods.ts";

/** For how long a release may keep everybody off. */
export const RESERVE_MS = 60_000;

/** Why nothing was sent, or what the server said no with. */
export type ReleaseFault = "say_why" | "name_format" | RequestError;

/**
 * `refused`: the server found another hold and did nothing. `unverified`: it could not tell; a second, explicit step
 * frees whatever is held. `unknown`: no answer came. `done`: `waited` is who was seen to wait just before.
 */
export type ReleaseStep =
  | { at: "choosing"; error?: ReleaseFault }
  | { at: "sending" }
  | { at: "refused"; lock: Lock | undefined }
  | { at: "unverified"; lock: Lock }
  | { at: "unknown"; why: RequestError }
  | { at: "done"; result: ForceReleased; waited: LockWaiters | undefined };

/** What the operator looks at: a hold of the lock, or that of one of its holders. */
export interface ReleaseSubject {
  readonly lock: Lock;
  readonly holder?: Holder | undefined;
}

export interface ReleaseState {
  /** The hold the operator looks at; only this one can be freed. */
  seen: Lock;
  /** The one of several holders that is freed; undefined: the lock. */
  holder: Holder | undefined;
  /** Named by the operator where the shape does not tell. */
  format: FormatName | null;
  choice: ReleaseMethod;
  reason: string;
  step: ReleaseStep;
}

export type ReleaseAction =
  | { type: "choose"; choice: ReleaseMethod }
  | { type: "reason"; reason: string }
  | { type: "format"; format: FormatName }
  | { type: "sent" }
  | { type: "step"; step: ReleaseStep }
  /** Looks at another hold: everything must be decided anew. */
  | { type: "look"; lock: Lock };

export function createReleaseState({ lock, holder }: ReleaseSubject): ReleaseState {
  // The mildest way that leads anywhere.
  const [choice = "release"] = findReleaseMethods(lock, holder).available;
  return { seen: lock, holder, format: null, choice, reason: "", step: { at: "choosing" } };
}

/** What the release is compared with. */
export function getExpectedVersion({ seen, holder }: ReleaseState): string | null {
  return holder === undefined ? seen.version : holder.version;
}

export function reduceReleaseState(state: ReleaseState, action: ReleaseAction): ReleaseState {
  switch (action.type) {
    case "choose":
      return { ...state, choice: action.choice, step: { at: "choosing" } };
    case "reason":
      return { ...state, reason: action.reason, step: clearError(state.step) };
    case "format":
      return { ...state, format: action.format, step: clearError(state.step) };
    case "sent":
      return { ...state, step: { at: "sending" } };
    case "step":
      return { ...state, step: action.step };
    case "look":
      return { ...createReleaseState({ lock: action.lock }), reason: state.reason };
  }
}

function clearError(step: ReleaseStep): ReleaseStep {
  return step.at === "choosing" ? { at: "choosing" } : step;
}

export type HoldDrift = "same" | "other" | "gone";

/** Whether what is there now is still what was seen. News older than what was seen says nothing. */
export function detectDrift(seen: Lock, current: Lock | undefined, holder?: Holder): HoldDrift {
  if (current === undefined || current.asOf < seen.asOf) return "same";
  const isThere =
    holder === undefined
      ? current.version === seen.version
      : current.holders.some(({ version }) => version === holder.version);
  if (isThere) return "same";
  return current.holders.length === 0 ? "gone" : "other";
}
