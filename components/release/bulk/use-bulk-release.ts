"use client";

import { useEffect, useEffectEvent, useReducer, useRef } from "react";
import { forceReleaseMany } from "@/lib/api/bulk-release.ts";
import { ApiProblem, NetworkError } from "@/lib/api/request.ts";
import type { BulkForceReleaseInput } from "@/lib/contract/actions/bulk-release.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { BULK_ITEMS_MAX } from "../../../lib/contract/limits.ts";
import {
  type BulkSelection,
  type BulkState,
  createBulkState,
  findReleasable,
  findRemainingItems,
  reduceBulk,
  toBulkItems,
} from "./bulk-state.ts";

export interface BulkRelease {
  state: BulkState;
  /**
   * Releases the locks that the review found releasable. `confirm` is the name of the target if the operator had to
   * type the target's label; otherwise `undefined`.
   */
  release(reason: string, confirm: string | undefined): void;
  /** Stops the bulk release. Releases in progress still complete, but their results are not reported. */
  stop(): void;
  /**
   * Reviews the remaining locks again: locks that were not released but may be releasable now, and locks without a
   * result. Does nothing if there are none.
   */
  reviewAgain(): void;
}

export function useBulkRelease(wish: BulkSelection): BulkRelease {
  const [state, dispatch] = useReducer(reduceBulk, wish, createBulkState);
  const target = useTargetName();
  const running = useRef<AbortController | null>(null);
  const ask = async (input: Partial<BulkForceReleaseInput>, control: AbortController) => {
    running.current = control;
    const isOn = () => running.current === control && !control.signal.aborted;
    try {
      await forceReleaseMany(
        input,
        target,
        (lines) => isOn() && dispatch({ type: "lines", lines }),
        control.signal,
      );
      if (isOn()) dispatch({ type: "end" });
    } catch (error) {
      const why = error instanceof Error ? error : new NetworkError("broken_off");
      if (isOn()) dispatch({ type: "fail", why, isOver: !(error instanceof ApiProblem) });
    }
  };
  const review = useEffectEvent((control: AbortController) => {
    const what =
      "filter" in wish ? { filter: wish.filter, limit: BULK_ITEMS_MAX } : { items: toBulkItems(wish.locks) };
    void ask({ ...what, dryRun: true }, control);
  });
  useEffect(() => {
    const control = new AbortController();
    review(control);
    return () => {
      control.abort();
      running.current?.abort();
    };
  }, []);
  return {
    state,
    release(reason, confirm) {
      const items = findReleasable(state).map(({ item }) => item);
      dispatch({ type: "send" });
      const named = confirm === undefined ? {} : { confirm };
      void ask({ items, reason, ...named }, new AbortController());
    },
    stop() {
      running.current?.abort();
      dispatch({ type: "stop" });
    },
    reviewAgain() {
      const items = findRemainingItems(state);
      if (items.length === 0) return;
      dispatch({ type: "again", count: items.length });
      void ask({ items, dryRun: true }, new AbortController());
    },
  };
}
