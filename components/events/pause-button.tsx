"use client";

import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import { useEventPause } from "@/lib/live/hooks.ts";

/** One pause for all lists of events: they show the same stream. */
export function EventPauseButton({
  paused,
  missed,
  small,
}: {
  paused: boolean;
  missed: number;
  small: boolean;
}) {
  const { pause, resume } = useEventPause();
  return (
    <>
      {paused && (
        <button type="button" onClick={resume} className="h-6 rounded-full bg-accent-bg px-2.5 text-accent">
          +{formatNumber(missed)}
        </button>
      )}
      <Button
        look={small ? "quiet" : "plain"}
        size={small ? "small-icon" : "normal"}
        aria-pressed={paused}
        aria-label={paused ? "Go on with the events" : "Pause the events"}
        title={paused ? "Go on" : "Pause"}
        onClick={paused ? resume : pause}
      >
        {paused ? <Play aria-hidden size={13} /> : <Pause aria-hidden size={13} />}
        {!small && (paused ? "Go on" : "Pause")}
      </Button>
    </>
  );
}
