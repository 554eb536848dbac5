"use client";

import { PanelRightClose, PanelRightOpen } from "lucide-react";
import { useMemo } from "react";
import { Button } from "@/components/ui/button.tsx";
import { useEvents } from "@/lib/live/hooks.ts";
import { EventLine } from "./event-line.tsx";
import { CLOSED_CLASS, OPEN_CLASS, usePanelOpen } from "./panel-place.tsx";
import { EventPauseButton } from "./pause-button.tsx";

const SHOWN = 80;

/** The stream beside the table. Renewals are left out: one a lock every few seconds would bury the rest. */
export function EventPanel() {
  const [open, setOpen] = usePanelOpen();
  const { events, paused, missed } = useEvents(open ? "all" : "as_they_come");
  const shown = useMemo(
    () =>
      events
        .filter(({ type }) => type !== "renewed")
        .slice(-SHOWN)
        .reverse(),
    [events],
  );
  if (!open) {
    return (
      <div className={CLOSED_CLASS}>
        <Button
          look="quiet"
          size="small-icon"
          aria-label="Show events"
          title="Show events"
          onClick={() => setOpen(true)}
        >
          <PanelRightOpen aria-hidden size={14} />
        </Button>
      </div>
    );
  }
  return (
    <aside aria-label="Events" className={OPEN_CLASS}>
      <div className="flex h-11 shrink-0 items-center gap-1 pr-2 pl-3.5">
        <h2 className="flex-1 text-xs font-semibold">Events</h2>
        <EventPauseButton paused={paused} missed={missed} small />
        <Button
          look="quiet"
          size="small-icon"
          aria-label="Hide events"
          title="Hide events"
          onClick={() => setOpen(false)}
        >
          <PanelRightClose aria-hidden size={14} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section aria-label="Latest events" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-3.5 pb-4">
        {shown.length === 0 && <p className="text-ink-3">Nothing has happened yet.</p>}
        <ul>
          {shown.map((event) => (
            <EventLine key={event.id} entry={event} />
          ))}
        </ul>
      </section>
    </aside>
  );
}
