"use client";

import clsx from "clsx";
import { PanelRightOpen } from "lucide-react";
import { useState } from "react";
import { formatClock } from "@/components/ui/format-duration.ts";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { useMediaQuery } from "@/components/ui/use-media-query.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { events as english } from "@/lib/i18n/en/events.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useEvents } from "@/lib/live/hooks.ts";
import { EventName, GapText } from "../text/event-line.tsx";
import { formatEventDetail } from "../text/event-text.ts";
import { EVENT_PANEL_QUERY, EVENT_TICKER_CLASS, focusEventToggle, useEventPanel } from "./use-event-panel.ts";

const EventDrawer = createLazyOverlay(() =>
  import("./event-drawer.tsx").then((module) => module.EventDrawer),
);

/**
 * Shows the latest event in one line while the event panel is closed or does not fit. A click opens the panel, or a
 * drawer if there is no room for the panel.
 */
export function EventTicker() {
  const { panel } = useMessages(english);
  const { isOpen, setOpen, closedClass } = useEventPanel();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const hasRoom = useMediaQuery(EVENT_PANEL_QUERY);
  const open = () => {
    if (hasRoom) setOpen(true);
    else setDrawerOpen(true);
  };
  return (
    <div className={clsx(EVENT_TICKER_CLASS, closedClass)}>
      <button
        type="button"
        // Not `ref={focusEventToggle}`: React calls a new function after each render, which focuses the button once it
        // becomes visible. The button is always mounted, so React would call a stable function only once.
        ref={(button) => focusEventToggle(button)}
        title={panel.show}
        onClick={open}
        className="flex h-full w-full items-center gap-3 px-3 text-left outline-offset-[-2px] hover:bg-bg"
      >
        <span className="text-xs font-semibold">{panel.title}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2">
          {!(hasRoom && isOpen) && <LatestEvent />}
        </span>
        <PanelRightOpen aria-hidden size={14} className="shrink-0 text-ink-2" />
      </button>
      {isDrawerOpen && <EventDrawer onClose={() => setDrawerOpen(false)} />}
    </div>
  );
}

/** Shows the latest event, ignoring renewals because they are too frequent. */
function LatestEvent() {
  const { panel } = useMessages(english);
  const { events } = useEvents("all");
  const latest = events.findLast((entry) => isGap(entry) || entry.type !== "renewed");
  if (latest === undefined) return panel.nothing;
  return isGap(latest) ? <GapText gap={latest} /> : <LatestLockEvent event={latest} />;
}

function LatestLockEvent({ event }: { event: LockEvent }) {
  const detail = formatEventDetail(event, { events: useMessages(english), lock: useMessages(lock) }, true);
  return (
    <>
      <time className="text-ink-3" dateTime={new Date(event.at).toISOString()}>
        {formatClock(event.at)}
      </time>{" "}
      <EventName event={event} />{" "}
      <span className="text-ink">
        <SafeText text={event.key} />
      </span>{" "}
      <span className="text-ink-3">
        <SafeText text={detail} />
      </span>
    </>
  );
}
