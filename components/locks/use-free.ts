"use client";

import { useReducer } from "react";
import { freeBlock } from "@/components/shell/connection.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { ApiProblem } from "@/lib/live/api.ts";
import { type ReleaseFailure, useForceRelease, useLive, useShowLock } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/pictures.ts";
import {
  type Choice,
  type Drift,
  driftOf,
  type FreeState,
  HOLD_OFF_MS,
  reduceFree,
  type Step,
  startFree,
} from "./free-state.ts";
import { pathOf } from "./lock-facts.ts";

export interface Free {
  state: FreeState;
  /** The lock as it is now, as far as the stream told. */
  current: Lock | undefined;
  drift: Drift;
  /** Why nothing can be sent now. */
  blocked: string | null;
  choose(choice: Choice): void;
  setReason(reason: string): void;
  look(lock: Lock): void;
  release(ifUnsure: "refuse" | "release"): void;
}

function stepOf(failure: ReleaseFailure): Step {
  if (!(failure instanceof ApiProblem)) return { at: "unknown", why: failure.message };
  switch (failure.code) {
    case "changed":
      return { at: "refused", lock: failure.lock, why: failure.message };
    case "unsure":
      return failure.lock === undefined
        ? { at: "choosing", error: failure.message }
        : { at: "unsure", lock: failure.lock };
    case "unknown_outcome":
      return { at: "unknown", why: failure.message };
    default:
      return { at: "choosing", error: failure.message };
  }
}

export function useFree(lock: Lock): Free {
  const path = pathOf(lock);
  const [state, dispatch] = useReducer(reduceFree, lock, startFree);
  useShowLock(path);
  const current = useLock(path);
  const send = useForceRelease(path);
  const live = useLive();
  const target = state.step.at === "unsure" ? state.step.lock : state.seen;
  return {
    state,
    current,
    drift: driftOf(target, current),
    blocked: freeBlock(live),
    choose: (choice) => dispatch({ type: "choose", choice }),
    setReason: (reason) => dispatch({ type: "reason", reason }),
    look: (next) => dispatch({ type: "look", lock: next }),
    release(ifUnsure) {
      const reason = state.reason.trim();
      if (target.version === null || state.step.at === "sending") return;
      if (reason === "") {
        dispatch({ type: "step", step: { at: "choosing", error: "Say why: a release needs a reason." } });
        return;
      }
      dispatch({ type: "sent" });
      send.mutate(
        {
          expect: target.version,
          reason,
          ifUnsure,
          ...(state.choice === "hold-off" ? { holdOffMs: HOLD_OFF_MS } : {}),
        },
        {
          onSuccess: (result) => dispatch({ type: "step", step: { at: "done", result } }),
          onError: (failure) => dispatch({ type: "step", step: stepOf(failure) }),
        },
      );
    },
  };
}
