"use client";

import { PanelRightClose } from "lucide-react";
import { useMemo, useRef } from "react";
import { TargetLink } from "@/components/app/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { useIsReading } from "@/components/ui/use-is-reading.ts";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import { events as english } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useEventPause, useEvents } from "@/lib/live/hooks.ts";
import { EventLine } from "../text/event-line.tsx";
import { foldRenewals } from "./feed-lines.ts";
import { NewEventsButton } from "./new-events-button.tsx";
import { EventPauseButton } from "./pause-button.tsx";
import { EVENT_PANEL_CLASS, EVENT_PANEL_QUERY, focusEventToggle, useEventPanel } from "./use-event-panel.ts";
import { useHeldEvents } from "./use-held-events.ts";

const SHOWN_LINES_MAX = 80;
const LIST_ID = "latest-events";

/** Shows live events in a panel next to the table of locks. */
export function EventPanel() {
  const { isOpen, setOpen } = useEventPanel();
  const hasRoom = useMediaQuery(EVENT_PANEL_QUERY);
  if (!isOpen || !hasRoom) return null;
  return (
    <EventFeed className={EVENT_PANEL_CLASS} onClose={() => setOpen(false)} closeRef={focusEventToggle} />
  );
}

interface EventFeedProps {
  className: string;
  onClose(): void;
  closeRef?(button: HTMLButtonElement | null): void;
}

export function EventFeed({ className, onClose, closeRef }: EventFeedProps) {
  const { panel } = useMessages(english);
  const { events, paused, missed } = useEvents("all");
  const { pause, resume } = useEventPause();
  const place = useRef<HTMLElement>(null);
  const held = useHeldEvents(events, useIsReading(place));
  const lines = useMemo(
    () => foldRenewals(held.events.toReversed(), { least: 1, most: SHOWN_LINES_MAX }),
    [held.events],
  );
  const showAll = () => {
    held.update();
    resume();
  };
  return (
    <aside aria-label={panel.title} className={className}>
      <div className="flex h-11 shrink-0 items-center gap-1 pr-2 pl-3.5">
        <h2 className="flex-1 text-xs font-semibold">
          <TargetLink href="/events" title={panel.all} className="hover:underline">
            {panel.title}
          </TargetLink>
        </h2>
        <NewEventsButton listId={LIST_ID} count={paused ? missed : held.waiting} onShow={showAll} />
        <EventPauseButton paused={paused} onPause={pause} onResume={showAll} small />
        <Button
          variant="quiet"
          size="small-icon"
          aria-label={panel.hide}
          title={panel.hide}
          ref={closeRef}
          onClick={onClose}
        >
          <PanelRightClose aria-hidden size={14} />
        </Button>
      </div>
      <section
        ref={place}
        id={LIST_ID}
        aria-label={panel.latest}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable with the keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-3.5 pb-4"
      >
        {lines.length === 0 && <p className="text-ink-3">{panel.nothing}</p>}
        <ul>
          {lines.map((line) =>
            "entry" in line ? (
              <EventLine key={line.id} entry={line.entry} />
            ) : (
              <li
                key={line.id}
                className="border-b border-line-soft py-1 pl-[66px] text-2xs text-ink-3 tabular-nums"
              >
                {panel.renewals(line.renewals.count, line.renewals.locks)}
              </li>
            ),
          )}
        </ul>
      </section>
    </aside>
  );
}
