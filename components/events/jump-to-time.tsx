import type { Ref } from "react";
import { Button } from "@/components/ui/button.tsx";
import { DateTimeField } from "@/components/ui/date-time-field.tsx";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface JumpToTimeProps {
  /** The selected time in Unix milliseconds; `undefined` for live events. */
  at: number | undefined;
  onJump(at: number | undefined): void;
  inputRef: Ref<HTMLInputElement>;
}

/** Lets the operator select the time up to which events are shown. */
export function JumpToTime({ at, onJump, inputRef }: JumpToTimeProps) {
  const { jump } = useMessages(eventsPage);
  return (
    <div className="flex items-center gap-2">
      <span aria-hidden className="text-ink-2 max-sm:sr-only">
        {jump.until}
      </span>
      <DateTimeField value={at} onCommit={onJump} label={jump.label} inputRef={inputRef} />
      {at !== undefined && <Button onClick={() => onJump(undefined)}>{jump.live}</Button>}
    </div>
  );
}
