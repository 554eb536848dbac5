import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { formatClock, formatDate } from "@/components/ui/format-duration.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { EventIcon } from "../text/event-icon.tsx";
import { formatExactTime } from "../text/event-time.ts";
import { COLUMN_CLASSES, OPEN_BUTTON_CLASS, ROW_CLASS, ROW_PX, type RowPlace } from "./feed-layout.ts";
import type { RenewalGroup } from "./feed-lines.ts";

interface RenewalsRowProps {
  id: string;
  renewals: RenewalGroup;
  place: RowPlace;
  isExpanded: boolean;
  onToggle(id: string): void;
}

/** Shows a group of renewals in one row. The button in the row expands the group into one row per renewal. */
export function RenewalsRow({ id, renewals, place, isExpanded, onToggle }: RenewalsRowProps) {
  const { names, panel } = useMessages(events);
  const { list } = useMessages(eventsPage);
  const { layout, top } = place;
  const text = panel.renewals(renewals.count, renewals.locks);
  const at = renewals.entries[0]?.at ?? 0;
  return (
    <li
      data-id={id}
      className={clsx(ROW_CLASS, COLUMN_CLASSES[layout], "text-ink-3 hover:bg-bg")}
      style={{ top, height: ROW_PX[layout] }}
    >
      <button
        type="button"
        aria-expanded={isExpanded}
        aria-label={list.showRenewals(text)}
        onClick={() => onToggle(id)}
        className={clsx("font-mono text-xs whitespace-nowrap", OPEN_BUTTON_CLASS)}
      >
        <time dateTime={new Date(at).toISOString()} title={formatDate(at)}>
          {layout === "narrow" ? formatClock(at) : formatExactTime(at)}
        </time>
      </button>
      <span className="flex min-w-0 items-center gap-1.5">
        <EventIcon type="renewed" />
        <span className="truncate">{names.renewed}</span>
      </span>
      <span className={clsx("flex min-w-0 items-center gap-1", layout === "narrow" && "col-span-full")}>
        <span className="truncate tabular-nums">{text}</span>
        <ChevronRight aria-hidden size={13} className={clsx("shrink-0", isExpanded && "rotate-90")} />
      </span>
    </li>
  );
}
