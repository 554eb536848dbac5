import clsx from "clsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { READING_CONTROL_ATTRIBUTE } from "@/components/ui/use-is-reading.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface NewEventsButtonProps {
  /** The element id of the list. The list also pauses while the pointer is on this button. */
  listId: string;
  /** The number of events that have arrived but are not shown. */
  count: number;
  onShow(): void;
  className?: string;
}

/** A button that shows how many events arrived while the list was paused. A click adds these events to the list. */
export function NewEventsButton({ listId, count, onShow, className }: NewEventsButtonProps) {
  const { pause } = useMessages(events);
  if (count === 0) return null;
  return (
    <button
      type="button"
      {...{ [READING_CONTROL_ATTRIBUTE]: listId }}
      onClick={onShow}
      className={clsx(
        "h-6 rounded-full bg-accent-bg px-2.5 whitespace-nowrap text-accent tabular-nums",
        className,
      )}
    >
      {pause.fresh(count, formatNumber(count))}
    </button>
  );
}
