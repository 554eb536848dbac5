"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { Greyed } from "@/components/shell/greyed.tsx";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SearchBox } from "@/components/ui/search-box.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import { eventWords } from "@/lib/contract/event-filter.ts";
import type { EventSnapshot } from "@/lib/live/event-log.ts";
import { useEventPause, useEvents } from "@/lib/live/hooks.ts";
import { EventRow } from "./event-row.tsx";
import { EventPauseButton } from "./pause-button.tsx";
import { TypeFilter } from "./type-filter.tsx";
import { useEventsUrl } from "./use-events-url.ts";

const ROW_PX = 32;

export function EventsPage() {
  const { events, paused, missed, skippedBefore } = useEvents("all");
  const { pause, resume } = useEventPause();
  const url = useEventsUrl();
  const shown = useMemo(() => {
    const hasWords = eventWords(url.filter);
    const wanted = events.filter(
      (event) =>
        event.type === "gap" ||
        ((url.types.length === 0 || url.types.includes(event.type)) && hasWords(event)),
    );
    return wanted.reverse();
  }, [events, url.filter, url.types]);
  useKeys({ p: paused ? resume : pause });
  return (
    <Greyed className="flex min-h-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4">
      <h1 className="sr-only">Events</h1>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          value={url.filter}
          onChange={url.setFilter}
          label="Search events"
          placeholder="Key, owner, operator or reason; key:GLOB  owner:GLOB"
          maxLength={300}
        />
        <EventPauseButton paused={paused} missed={missed} small={false} />
      </div>
      <TypeFilter chosen={url.types} onChoose={url.setTypes} />
      <EventList events={shown} skippedBefore={skippedBefore}>
        {shown.length === 0 && <Nothing filtered={events.length > 0} onClear={url.clear} />}
      </EventList>
    </Greyed>
  );
}

interface EventListProps extends Pick<EventSnapshot, "events" | "skippedBefore"> {
  children: React.ReactNode;
}

function EventList({ events, skippedBefore, children }: EventListProps) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => events[index]?.id ?? index,
    overscan: 8,
  });
  const height = rows.getTotalSize();
  return (
    <section
      ref={scroller}
      aria-label="Events"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      className="isolate @container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
    >
      {children}
      <ol className="relative" style={height > 0 ? { height } : undefined}>
        {rows.getVirtualItems().map(({ index, start, key }) => {
          const event = events[index];
          return event === undefined ? null : (
            <EventRow key={key} entry={event} top={start} skipped={skippedBefore.get(event.id) ?? 0} />
          );
        })}
      </ol>
    </section>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  if (!filtered) {
    return (
      <EmptyState title="Nothing has happened yet">
        <p>
          Events appear here as locks are taken, renewed, released, freed or expire. The last 2,000 are kept
          on this page.
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No event matches">
      <p>Things have happened, but nothing that matches the search and the chosen types.</p>
      <div>
        <Button onClick={onClear}>Show all</Button>
      </div>
    </EmptyState>
  );
}
