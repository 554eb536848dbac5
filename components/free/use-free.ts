"use client";

import { useReducer } from "react";
import { neverFreed, pathOf } from "@/components/lock/lock-facts.ts";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useForceRelease, useShowLock } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/pictures.ts";
import { ApiProblem, type Failure } from "@/lib/live/request.ts";
import {
  type Choice,
  type Drift,
  driftOf,
  expectedOf,
  type FreeState,
  HOLD_OFF_MS,
  type Looked,
  reduceFree,
  type Step,
  startFree,
} from "./free-state.ts";

export interface Free {
  state: FreeState;
  /** The lock as it is now, as far as the stream told. */
  current: Lock | undefined;
  drift: Drift;
  /** Why nothing can be sent now. */
  blocked: string | null;
  choose(choice: Choice): void;
  setReason(reason: string): void;
  setFormat(format: FormatName): void;
  look(lock: Lock): void;
  release(ifUnsure: "refuse" | "release"): void;
}

function stepOf(failure: Failure): Step {
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

export function useFree(looked: Looked): Free {
  const { lock } = looked;
  const path = pathOf(lock);
  const [state, dispatch] = useReducer(reduceFree, looked, startFree);
  useShowLock(path);
  const current = useLock(path);
  const send = useForceRelease(path);
  const isUnsure = state.step.at === "unsure";
  const target = state.step.at === "unsure" ? state.step.lock : state.seen;
  const expect = isUnsure ? target.version : expectedOf(state);
  return {
    state,
    current,
    drift: driftOf(target, current, isUnsure ? undefined : state.holder),
    blocked: useFreeBlock() ?? neverFreed(state.seen),
    choose: (choice) => dispatch({ type: "choose", choice }),
    setReason: (reason) => dispatch({ type: "reason", reason }),
    setFormat: (format) => dispatch({ type: "format", format }),
    look: (next) => dispatch({ type: "look", lock: next }),
    release(ifUnsure) {
      const reason = state.reason.trim();
      if (expect === null || state.step.at === "sending") return;
      if (state.seen.release?.may === "with_format" && state.format === null) {
        dispatch({ type: "step", step: { at: "choosing", error: "Name its format first." } });
        return;
      }
      if (reason === "") {
        dispatch({ type: "step", step: { at: "choosing", error: "Say why: a release needs a reason." } });
        return;
      }
      dispatch({ type: "sent" });
      send.mutate(
        {
          expect,
          ...(state.format === null ? {} : { format: state.format }),
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
