"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import type { EventSnapshot } from "@/lib/live/event-log.ts";
import { EventRow } from "./event-row.tsx";

const ROW_PX = 32;

interface EventListProps extends Pick<EventSnapshot, "events" | "skippedBefore"> {
  /** What is said when there are none. */
  children: React.ReactNode;
  /** Stands below the last one. */
  end: React.ReactNode;
}

/** The newest first. */
export function EventList({ events, skippedBefore, children, end }: EventListProps) {
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
      {end}
    </section>
  );
}
