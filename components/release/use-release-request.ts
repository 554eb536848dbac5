"use client";

import { useEffect } from "react";
import { toLockPath } from "@/components/lock-facts/lock-path.ts";
import { ApiProblem } from "@/lib/api/request.ts";
import { RELEASE_REQUEST_TEXT_MAX } from "@/lib/contract/limits.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useRequestRelease } from "@/lib/queries/lock-actions.ts";
import { findReleaseRequest } from "../lock-facts/release-request.ts";
import {
  getExpectedVersion,
  type ReleaseAction,
  type ReleaseFault,
  type ReleaseState,
} from "./release-state.ts";

/**
 * Stores the latest release request for the hold in the state of the dialog, and returns a function that sends a
 * release request. The function sends nothing if the lock was not held, if the reason is missing or too long, or while
 * another request is being sent.
 *
 * @param shown the current state of the hold that the operator saw
 */
export function useReleaseRequest(
  state: ReleaseState,
  dispatch: (action: ReleaseAction) => void,
  shown: Lock,
): () => void {
  const { mutate } = useRequestRelease(toLockPath(shown));
  const reported = findReleaseRequest(shown, state.holder);
  useEffect(() => {
    if (reported !== null) dispatch({ type: "request", request: reported });
  }, [reported, dispatch]);
  return () => {
    const expectedVersion = getExpectedVersion(state);
    const reason = state.reason.trim();
    if (expectedVersion === null || state.step.at === "sending") return;
    const refuse = (error: ReleaseFault) => dispatch({ type: "step", step: { at: "choosing", error } });
    if (reason === "") return refuse("reason_missing");
    if (reason.length > RELEASE_REQUEST_TEXT_MAX) return refuse("reason_too_long");
    dispatch({ type: "sent" });
    mutate(
      { expectedVersion, reason },
      {
        onSuccess: (request) => dispatch({ type: "asked", request }),
        onError: (failure) => {
          if (failure instanceof ApiProblem && failure.code === "changed")
            dispatch({ type: "step", step: { at: "refused", lock: failure.lock } });
          else refuse(failure);
        },
      },
    );
  };
}
