"use client";

import type { Words } from "@/lib/i18n/en/messages.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive, useSilence } from "@/lib/live/hooks.ts";
import type { LiveState } from "@/lib/live/live-store.ts";
import { partialOf } from "../app/connection.ts";

interface Trouble {
  text: string;
  /** The server's own words, in English. */
  detail?: string | undefined;
}

function troubleOf({ connection, health }: LiveState, silence: number | null, words: Words["shell"]) {
  if (connection === "stale")
    return { text: silence === null ? words.staleUnreachable : words.staleSilent(silence) };
  return health === null ? null : troubleOfHealth(health, words);
}

function troubleOfHealth(health: NonNullable<LiveState["health"]>, words: Words["shell"]): Trouble | null {
  const { state, majority, masters, detail } = health;
  if (state === "down")
    return { text: majority === undefined ? words.redisDownStale : words.majorityDownStale, detail };
  if (state !== "partial") return null;
  const down = partialOf(health, words);
  if (majority === undefined) return { text: words.someDown(down), detail };
  const names = masters.filter((master) => master.state === "down").map(({ name }) => name);
  return { text: words.minorityDown(down, names.join(", ")) };
}

export function ConditionBanner() {
  const words = useWords(shell);
  const state = useLive();
  const trouble: Trouble | null = troubleOf(state, useSilence(), words);
  if (trouble !== null) {
    return (
      <p className="border-b border-line bg-bad-bg px-4 py-2 text-bad" data-testid="condition-banner">
        {trouble.text}
        {trouble.detail !== undefined && (
          <span lang="en" translate="no">
            {` ${trouble.detail}`}
          </span>
        )}
      </p>
    );
  }
  if (!state.outdated) return null;
  return (
    <p className="flex items-center gap-3 border-b border-line bg-warn-bg px-4 py-2 text-warn">
      {words.outdated}
      <button type="button" className="font-medium underline" onClick={() => location.reload()}>
        {words.loadAgain}
      </button>
    </p>
  );
}
