"use client";

import { useLive, useSilence } from "@/lib/live/hooks.ts";
import type { LiveState } from "@/lib/live/store.ts";
import { partialOf } from "./connection.ts";

function textOf(state: LiveState, silence: number | null): string | null {
  if (state.connection === "stale") {
    const since = silence === null ? "Lockkeeper cannot be reached." : `Nothing was heard for ${silence} s.`;
    return `${since} What you see may be out of date; nothing can be freed. This page tries again by itself.`;
  }
  if (state.health?.state === "down") {
    const who = state.health.majority === undefined ? "Redis" : "A majority of the masters";
    return `${who} is down, so this page is stale: nothing can be freed until it is back. ${state.health.detail ?? ""}`.trim();
  }
  if (state.health?.state === "partial" && state.health.majority !== undefined) {
    const names = state.health.masters.filter(({ state }) => state === "down").map(({ name }) => name);
    return `${partialOf(state.health)}: ${names.join(", ")}. The others decide, and every lock is as shown unless it says otherwise.`;
  }
  if (state.health?.state === "partial") {
    return `${partialOf(state.health)}: what is shown of their locks is stale, and those cannot be freed. All others are as shown. ${state.health.detail ?? ""}`.trim();
  }
  return null;
}

export function ConditionBanner() {
  const state = useLive();
  const text = textOf(state, useSilence());
  if (text !== null) {
    return (
      <p className="border-b border-line bg-bad-bg px-4 py-2 text-bad" data-testid="condition-banner">
        {text}
      </p>
    );
  }
  if (!state.outdated) return null;
  return (
    <p className="flex items-center gap-3 border-b border-line bg-warn-bg px-4 py-2 text-warn">
      Lockkeeper was updated: this page does not understand all of it any more.
      <button type="button" className="font-medium underline" onClick={() => location.reload()}>
        Load it again
      </button>
    </p>
  );
}
