import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { events } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface EventPauseButtonProps {
  paused: boolean;
  onPause(): void;
  /** Called to end the pause and to show the events that arrived during the pause. */
  onResume(): void;
  small: boolean;
}

export function EventPauseButton({ paused, onPause, onResume, small }: EventPauseButtonProps) {
  const { pause } = useMessages(events);
  return (
    <Button
      variant={small ? "quiet" : "plain"}
      size={small ? "small-icon" : "normal"}
      aria-pressed={paused}
      aria-label={paused ? pause.resumeEvents : pause.pauseEvents}
      title={paused ? pause.resume : pause.pause}
      className="max-sm:min-w-11"
      onClick={paused ? onResume : onPause}
    >
      {paused ? <Play aria-hidden size={13} /> : <Pause aria-hidden size={13} />}
      {!small && <span className="max-sm:sr-only">{paused ? pause.resume : pause.pause}</span>}
    </Button>
  );
}
