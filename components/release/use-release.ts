"use client";

import { useEffect, useReducer } from "react";
import { getReleaseBlockedReason, getReleaseForbiddenReason } from "@/components/app/connection.ts";
import { isProduction } from "@/components/app/target-badges.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { getReleaseObstacle } from "@/components/lock-facts/release-text.ts";
import { ApiProblem, type RequestError } from "@/lib/api/request.ts";
import { isLikelyAlive } from "@/lib/contract/actions/looks-alive.ts";
import type { HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useLockSubscription, useServerNow } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/live-cache.ts";
import { useForceRelease } from "@/lib/queries/force-release.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { useKeyEvents } from "../events/key-history/use-key-events.ts";
import { detectDrift, findHoldEnd, type HoldDrift } from "./hold-drift.ts";
import { isPreselectionWrong } from "./preselection.ts";
import { findReleaseMethods, type ReleaseMethod, type ReleaseMethods } from "./release-methods.ts";
import {
  createReleaseState,
  getExpectedVersion,
  RESERVE_MS,
  type ReleaseState,
  type ReleaseStep,
  type ReleaseSubject,
  reduceReleaseState,
} from "./release-state.ts";
import { useReleaseRequest } from "./use-release-request.ts";

export interface ReleaseForm {
  state: ReleaseState;
  /** The current lock; `undefined` until the stream reports it. */
  current: Lock | undefined;
  /** The latest known state of the hold that the operator saw; equal to `state.seen` after the hold has changed. */
  shown: Lock;
  drift: HoldDrift;
  /** The latest event for the lock if that event ended a hold; otherwise `undefined`. */
  ending: LockEvent | undefined;
  /** The events of the lock and the gaps in its history, newest first. */
  events: readonly HistoryEntry[];
  methods: ReleaseMethods;
  /** The chosen or preselected method; `null` if the operator must choose. */
  choice: ReleaseMethod | null;
  /** Why this operator can never release the lock, for example because the target is read-only; `null` otherwise. */
  factsOnly: string | null;
  /** Why no request can be sent at the moment; `null` if requests can be sent or `factsOnly` is set. */
  blocked: string | null;
  needsReason: boolean;
  /** The label of the target, which the operator must type to confirm; `undefined` if no confirmation is required. */
  confirm: string | undefined;
  choose(method: ReleaseMethod): void;
  setReason(reason: string): void;
  setConfirmation(confirmation: string): void;
  setFormat(format: FormatName): void;
  reviewNewHold(subject: ReleaseSubject): void;
  release(onUnverified: "refuse" | "release"): void;
  /** Sends a release request to the holder. */
  ask(): void;
}

function toReleaseStep(failure: RequestError): ReleaseStep {
  if (!(failure instanceof ApiProblem)) return { at: "unknown", why: failure };
  switch (failure.code) {
    case "changed":
      return { at: "refused", lock: failure.lock };
    case "unverified":
      return failure.lock === undefined
        ? { at: "choosing", error: failure }
        : { at: "unverified", lock: failure.lock };
    case "unknown_outcome":
      return { at: "unknown", why: failure };
    default:
      return { at: "choosing", error: failure };
  }
}

export function useRelease(subject: ReleaseSubject): ReleaseForm {
  const now = useServerNow() ?? subject.lock.asOf;
  const [state, dispatch] = useReducer(reduceReleaseState, subject, (first) =>
    createReleaseState(first, now),
  );
  const path = toLockPath(subject.lock);
  useLockSubscription(path);
  const current = useLock(path);
  const { events, ending } = useKeyEvents(path);
  const live = useLiveState();
  const { seen, holder, step } = state;
  const isUnverified = step.at === "unverified";
  const compared = step.at === "unverified" ? step.lock : seen;
  const drift = detectDrift(compared, current, isUnverified ? undefined : holder);
  const shown = drift === "same" && current !== undefined && current.asOf > seen.asOf ? current : seen;
  const methods = findReleaseMethods(shown, holder, state.request, state.canAsk);
  const { choice, isCleared } = getValidChoice(state, shown, now);
  useEffect(() => {
    if (isCleared) dispatch({ type: "clear_preselection" });
  }, [isCleared]);
  const endedAt = drift === "same" || current === undefined ? null : findHoldEnd(seen, current, events);
  useEffect(() => {
    if (endedAt !== null) dispatch({ type: "ended", at: endedAt });
  }, [endedAt]);
  // A release request sends the reason to the holder.
  const needsReason = choice === "ask" || isLikelyAlive(shown);
  // On a production target, the operator must type a name before force-releasing a hold whose client may be working.
  const isConfirmed = isProduction(live.hello?.target) && needsReason && choice !== "ask";
  const confirm = isConfirmed ? live.hello?.target.label : undefined;
  const send = useSendRelease(state, dispatch, { compared, shown });
  const ask = useReleaseRequest(state, dispatch, shown);
  return {
    ...{ state, current, shown, drift, ending, events, methods, choice, needsReason, confirm, ask },
    ...useReleaseObstacles(seen),
    choose: (method) => dispatch({ type: "choose", method }),
    setReason: (reason) => dispatch({ type: "reason", reason }),
    setConfirmation: (confirmation) => dispatch({ type: "confirmation", confirmation }),
    setFormat: (format) => dispatch({ type: "format", format }),
    reviewNewHold: (next) => dispatch({ type: "review", subject: next, now }),
    release: (onUnverified) => send({ onUnverified, method: choice, needsReason, confirm }),
  };
}

/**
 * Returns the chosen method; `null` if no method is chosen, the method is no longer available, or a preselection has
 * become wrong. `isCleared` is `true` only for a wrong preselection.
 */
function getValidChoice(
  { choice: { is, method }, holder, request, canAsk }: ReleaseState,
  shown: Lock,
  now: number,
): { choice: ReleaseMethod | null; isCleared: boolean } {
  if (method === null) return { choice: null, isCleared: false };
  const isCleared = is === "preselected" && isPreselectionWrong(method, shown, holder, now, request);
  const isAvailable = findReleaseMethods(shown, holder, request, canAsk).get(method) === null;
  return { choice: isCleared || !isAvailable ? null : method, isCleared };
}

function useReleaseObstacles(seen: Lock): Pick<ReleaseForm, "factsOnly" | "blocked"> {
  const live = useLiveState();
  const shellMessages = useMessages(shell);
  const obstacle = getReleaseObstacle(seen, useMessages(lockWords));
  const factsOnly = getReleaseForbiddenReason(live, shellMessages) ?? obstacle;
  return { factsOnly, blocked: factsOnly === null ? getReleaseBlockedReason(live, shellMessages) : null };
}

interface SentRelease extends Pick<ReleaseForm, "needsReason" | "confirm"> {
  onUnverified: "refuse" | "release";
  method: ReleaseMethod | null;
}

function useSendRelease(
  state: ReleaseState,
  dispatch: (action: Parameters<typeof reduceReleaseState>[1]) => void,
  { compared, shown }: { compared: Lock; shown: Lock },
) {
  const path = toLockPath(shown);
  const { data: waited } = useWaiters(path, shown.waiters.count);
  const { mutate } = useForceRelease(path);
  const { seen, step, format } = state;
  const expectedVersion = step.at === "unverified" ? compared.version : getExpectedVersion(state);
  const refuse = (error: "reason_missing" | "format_missing" | "target_unconfirmed") =>
    dispatch({ type: "step", step: { at: "choosing", error } });
  return ({ onUnverified, method, needsReason, confirm }: SentRelease) => {
    const reason = state.reason.trim();
    if (expectedVersion === null || step.at === "sending") return;
    if (seen.release?.may === "with_format" && format === null) return refuse("format_missing");
    if (reason === "" && needsReason) return refuse("reason_missing");
    if (confirm !== undefined && state.confirmation.trim() !== confirm) return refuse("target_unconfirmed");
    dispatch({ type: "sent" });
    mutate(
      {
        ...{ expectedVersion, reason, onUnverified },
        ...(format === null ? {} : { format }),
        ...(method === "reserve" ? { reservedMs: RESERVE_MS } : {}),
      },
      {
        onSuccess: (result) => dispatch({ type: "step", step: { at: "done", result, waited } }),
        onError: (failure) => dispatch({ type: "step", step: toReleaseStep(failure) }),
      },
    );
  };
}
