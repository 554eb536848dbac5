import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface EventPauseButtonProps {
  paused: boolean;
  /** How many wait to be shown. */
  waiting: number;
  /** undefined: what is shown stands still by itself. */
  onPause: (() => void) | undefined;
  /** Shows them. */
  onResume(): void;
  small: boolean;
}

export function EventPauseButton({ paused, waiting, onPause, onResume, small }: EventPauseButtonProps) {
  const { pause } = useMessages(events);
  return (
    <>
      {(paused || waiting > 0) && (
        <button
          type="button"
          onClick={onResume}
          className="h-6 rounded-full bg-accent-bg px-2.5 whitespace-nowrap text-accent tabular-nums"
        >
          {pause.fresh(formatNumber(waiting))}
        </button>
      )}
      {(paused || onPause !== undefined) && (
        <Button
          variant={small ? "quiet" : "plain"}
          size={small ? "small-icon" : "normal"}
          aria-pressed={paused}
          aria-label={paused ? pause.goOnEvents : pause.pauseEvents}
          title={paused ? pause.goOn : pause.pause}
          onClick={paused ? onResume : onPause}
        >
          {paused ? <Play aria-hidden size={13} /> : <Pause aria-hidden size={13} />}
          {!small && (paused ? pause.goOn : pause.pause)}
        </Button>
      )}
    </>
  );
}
