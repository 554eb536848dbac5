"use client";

import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { views } from "@/lib/i18n/en/views.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { FrozenRows } from "./use-frozen-rows.ts";

/** Renders the button that pauses and resumes list updates. */
export function ListPauseButton({ table: { paused, toggle } }: { table: FrozenRows }) {
  const messages = useMessages(views);
  const Icon = paused ? Play : Pause;
  return (
    <Button
      onClick={toggle}
      aria-pressed={paused}
      title={paused ? messages.resumeHint : messages.pauseHint}
      className="max-sm:size-11 max-sm:px-0"
    >
      <Icon aria-hidden className="size-[13px] max-sm:size-4" />
      <span className="max-sm:sr-only">{paused ? messages.resume : messages.pause}</span>
    </Button>
  );
}
