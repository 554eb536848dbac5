"use client";

import { useReducer } from "react";
import { getReleaseBlockedReason } from "@/components/app/connection.ts";
import { isProduction } from "@/components/app/target-badges.tsx";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { getReleaseObstacle } from "@/components/lock-facts/release-text.ts";
import { ApiProblem, type RequestError } from "@/lib/api/request.ts";
import { isLikelyAlive } from "@/lib/contract/actions/looks-alive.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useLockSubscription } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/live-cache.ts";
import { useForceRelease } from "@/lib/queries/force-release.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { findReleaseMethods, type ReleaseMethod, type ReleaseMethods } from "./release-methods.ts";
import {
  createReleaseState,
  detectDrift,
  getExpectedVersion,
  type HoldDrift,
  RESERVE_MS,
  type ReleaseState,
  type ReleaseStep,
  type ReleaseSubject,
  reduceReleaseState,
} from "./release-state.ts";

export interface ReleaseForm {
  state: ReleaseState;
  /** The lock as it is now, as far as the stream told. */
  current: Lock | undefined;
  /** The hold that was seen, as it is now: renewals belong to it. */
  shown: Lock;
  drift: HoldDrift;
  methods: ReleaseMethods;
  /** What was chosen, while it fits; null: it has to be chosen anew. */
  choice: ReleaseMethod | null;
  /** Why nothing can be sent now. */
  blocked: string | null;
  /** Whoever frees it says why. */
  needsReason: boolean;
  /** The name of the target, where it has to be typed. */
  confirm: string | undefined;
  choose(choice: ReleaseMethod): void;
  setReason(reason: string): void;
  setFormat(format: FormatName): void;
  reviewNewHold(lock: Lock): void;
  release(onUnverified: "refuse" | "release"): void;
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

export function useRelease(looked: ReleaseSubject): ReleaseForm {
  const messages = useMessages(english);
  const shellMessages = useMessages(shell);
  const lockText = useMessages(lockWords);
  const [state, dispatch] = useReducer(reduceReleaseState, looked, createReleaseState);
  const path = toLockPath(looked.lock);
  useLockSubscription(path);
  const current = useLock(path);
  const { data: waited } = useWaiters(path);
  const send = useForceRelease(path);
  const live = useLiveState();
  const { seen, holder, step } = state;
  const isUnverified = step.at === "unverified";
  const target = step.at === "unverified" ? step.lock : seen;
  const expectedVersion = isUnverified ? target.version : getExpectedVersion(state);
  const drift = detectDrift(target, current, isUnverified ? undefined : holder);
  const shown = drift === "same" && current !== undefined && current.asOf > seen.asOf ? current : seen;
  const ways = findReleaseMethods(shown, holder);
  const choice = ways.available.includes(state.choice) ? state.choice : null;
  const needsReason = isLikelyAlive(shown);
  const refuse = (error: "say_why" | "name_format") =>
    dispatch({ type: "step", step: { at: "choosing", error } });
  return {
    ...{ state, current, shown, drift, methods: ways, choice, needsReason },
    blocked:
      getReleaseBlockedReason(live, shellMessages) ??
      getReleaseObstacle(seen, lockText) ??
      (choice === null && !isUnverified ? messages.chooseHow : null),
    // What may take work from under somebody on production is not one click away.
    confirm: isProduction(live.hello?.target) && needsReason ? live.hello?.target.name : undefined,
    choose: (next) => dispatch({ type: "choose", choice: next }),
    setReason: (reason) => dispatch({ type: "reason", reason }),
    setFormat: (format) => dispatch({ type: "format", format }),
    reviewNewHold: (next) => dispatch({ type: "look", lock: next }),
    release(onUnverified) {
      const reason = state.reason.trim();
      if (expectedVersion === null || step.at === "sending") return;
      if (seen.release?.may === "with_format" && state.format === null) return refuse("name_format");
      if (reason === "" && needsReason) return refuse("say_why");
      dispatch({ type: "sent" });
      send.mutate(
        {
          expectedVersion,
          ...(state.format === null ? {} : { format: state.format }),
          reason,
          onUnverified,
          ...(state.choice === "reserve" ? { reservedMs: RESERVE_MS } : {}),
        },
        {
          onSuccess: (result) => dispatch({ type: "step", step: { at: "done", result, waited } }),
          onError: (failure) => dispatch({ type: "step", step: toReleaseStep(failure) }),
        },
      );
    },
  };
}
