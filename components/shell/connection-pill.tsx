"use client";

import clsx from "clsx";
import { useLive, useSilence } from "@/lib/live/hooks.ts";
import { conditionOf, type Tone } from "./connection.ts";

const DOTS: Record<Tone, string> = { ok: "bg-ok", warn: "bg-warn", bad: "bg-bad", idle: "bg-bar" };
const TEXTS: Record<Tone, string> = {
  ok: "text-ink-2",
  warn: "text-warn",
  bad: "text-bad font-medium",
  idle: "text-ink-3",
};

export function ConnectionPill() {
  const state = useLive();
  const { tone, text, spoken } = conditionOf(state, useSilence());
  return (
    <span className={clsx("flex min-w-0 items-center gap-1.5", TEXTS[tone])} data-testid="connection">
      <span aria-hidden className={clsx("size-[7px] shrink-0 rounded-full", DOTS[tone])} />
      <span className="truncate">{text}</span>
      <span role="status" className="sr-only">
        {spoken}
      </span>
    </span>
  );
}
