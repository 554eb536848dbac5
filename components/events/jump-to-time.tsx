import type { Ref } from "react";
import { Button } from "@/components/ui/button.tsx";
import { parseLocalDateTime, toLocalDateTime } from "@/components/ui/local-date-time.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface JumpToTimeProps {
  /** Unix milliseconds; undefined: live. */
  at: number | undefined;
  onJump(at: number | undefined): void;
  inputRef: Ref<HTMLInputElement>;
}

/** A moment of the past, in the time of this browser. */
export function JumpToTime({ at, onJump, inputRef }: JumpToTimeProps) {
  const { jump } = useMessages(eventsPage);
  return (
    <div className="flex items-center gap-2">
      <label className="flex items-center gap-1.5 text-ink-2">
        {jump.until}
        <input
          ref={inputRef}
          type="datetime-local"
          step={1}
          value={at === undefined ? "" : toLocalDateTime(at)}
          onChange={({ target }) => onJump(parseLocalDateTime(target.value))}
          aria-label={jump.label}
          className="h-7 rounded-[7px] border border-line bg-panel px-2 text-ink"
        />
      </label>
      {at !== undefined && <Button onClick={() => onJump(undefined)}>{jump.live}</Button>}
    </div>
  );
}
