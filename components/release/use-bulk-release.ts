"use client";

import { useEffect, useEffectEvent, useReducer, useRef } from "react";
import { forceReleaseMany } from "@/lib/api/bulk-release.ts";
import { ApiProblem, NoAnswer } from "@/lib/api/request.ts";
import type { BulkForceInput } from "@/lib/contract/actions/bulk-release.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { BULK_ITEMS_MAX } from "../../lib/contract/limits.ts";
import {
  type BulkState,
  type BulkWish,
  beginBulk,
  itemsOf,
  leftOver,
  reduceBulk,
  releasable,
} from "./bulk-state.ts";

export interface Bulk {
  state: BulkState;
  /** Frees those that the review says would be freed. */
  free(reason: string, confirm: string | undefined): void;
  /** What has not begun is left; what has begun is told of no more. */
  stop(): void;
  /** Looks at those that are left, each as it is now. */
  again(): void;
}

export function useBulk(wish: BulkWish): Bulk {
  const [state, dispatch] = useReducer(reduceBulk, wish, beginBulk);
  const target = useTargetName();
  const running = useRef<AbortController | null>(null);
  const ask = async (input: Partial<BulkForceInput>, control: AbortController) => {
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
      const why = error instanceof Error ? error : new NoAnswer("broken_off");
      if (isOn()) dispatch({ type: "fail", why, isOver: !(error instanceof ApiProblem) });
    }
  };
  const review = useEffectEvent((control: AbortController) => {
    const what =
      "filter" in wish ? { filter: wish.filter, most: BULK_ITEMS_MAX } : { items: itemsOf(wish.locks) };
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
    free(reason, confirm) {
      const items = releasable(state).map(({ item }) => item);
      dispatch({ type: "send" });
      const named = confirm === undefined ? {} : { confirm };
      void ask({ items, reason, ...named }, new AbortController());
    },
    stop() {
      running.current?.abort();
      dispatch({ type: "stop" });
    },
    again() {
      const items = leftOver(state);
      if (items.length === 0) return;
      dispatch({ type: "again", count: items.length });
      void ask({ items, dryRun: true }, new AbortController());
    },
  };
}
