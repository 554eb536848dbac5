"use client";

import { PanelRightClose, PanelRightOpen } from "lucide-react";
import { useMemo } from "react";
import { TargetLink } from "@/components/app/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { events as english } from "@/lib/i18n/en/events.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useEventPause, useEvents } from "@/lib/live/hooks.ts";
import { EventLine } from "../text/event-line.tsx";
import { CLOSED_PANEL_CLASS, OPEN_PANEL_CLASS, useEventPanelOpen } from "./panel-visibility.tsx";
import { EventPauseButton } from "./pause-button.tsx";
import { collapseRenewals } from "./settled-lines.ts";

const SHOWN_LINES_MAX = 80;

/** The stream beside the table, open by itself only where there is room for both. */
export function EventPanel() {
  const { panel } = useMessages(english);
  const [open, setOpen] = useEventPanelOpen();
  if (open) return <OpenEventPanel onClose={() => setOpen(false)} />;
  return (
    <div className={CLOSED_PANEL_CLASS}>
      <Button
        variant="quiet"
        size="small-icon"
        aria-label={panel.show}
        title={panel.show}
        onClick={() => setOpen(true)}
      >
        <PanelRightOpen aria-hidden size={14} />
      </Button>
    </div>
  );
}

function OpenEventPanel({ onClose }: { onClose(): void }) {
  const { panel } = useMessages(english);
  const { events, paused, missed } = useEvents("all");
  const { pause, resume } = useEventPause();
  const lines = useMemo(() => collapseRenewals(events, SHOWN_LINES_MAX), [events]);
  return (
    <aside aria-label={panel.title} className={OPEN_PANEL_CLASS}>
      <div className="flex h-11 shrink-0 items-center gap-1 pr-2 pl-3.5">
        <h2 className="flex-1 text-xs font-semibold">
          <TargetLink href="/events" title={panel.all} className="hover:underline">
            {panel.title}
          </TargetLink>
        </h2>
        <EventPauseButton paused={paused} waiting={missed} onPause={pause} onResume={resume} small />
        <Button
          variant="quiet"
          size="small-icon"
          aria-label={panel.hide}
          title={panel.hide}
          onClick={onClose}
        >
          <PanelRightClose aria-hidden size={14} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section aria-label={panel.latest} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-3.5 pb-4">
        {lines.length === 0 && <p className="text-ink-3">{panel.nothing}</p>}
        <ul>
          {lines.map((line) =>
            "entry" in line ? (
              <EventLine key={line.entry.id} entry={line.entry} />
            ) : (
              <li
                key={line.renewals.id}
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
