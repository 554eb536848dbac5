"use client";

import dynamic from "next/dynamic";
import { useEffect } from "react";
import { Greyed } from "@/components/shell/greyed.tsx";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SearchBox } from "@/components/ui/search-box.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import { wordOfNoEvent } from "@/lib/contract/event-words.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { useEventPause } from "@/lib/live/hooks.ts";
import { JumpToTime } from "./jump-to-time.tsx";
import { EventPauseButton } from "./pause-button.tsx";
import { TypeFilter } from "./type-filter.tsx";
import { type AllEvents, useAllEvents } from "./use-all-events.ts";
import { useEventsUrl } from "./use-events-url.ts";

/** Its rows come with the stream, later than the page: it is on its way while they are. */
const loadList = () => import("./event-list.tsx").then((module) => module.EventList);
const EventList = dynamic(loadList, { ssr: false, loading: () => <div className="min-h-0 flex-1" /> });

export function EventsPage() {
  useEffect(() => void loadList(), []);
  const url = useEventsUrl();
  const all = useAllEvents(url);
  const { paused, missed } = all;
  const { pause, resume } = useEventPause();
  // Times in which nobody watched are shown whatever is searched for.
  const isEmpty = all.isFiltered ? all.shown.every(isGap) : all.shown.length === 0;
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
          faultOf={faultOf}
        />
        <JumpToTime at={url.at} onJump={url.setAt} />
        {url.at === undefined && <EventPauseButton paused={paused} missed={missed} small={false} />}
      </div>
      <TypeFilter chosen={url.types} onChoose={url.setTypes} />
      <EventList events={all.shown} skippedBefore={all.skippedBefore} end={<Older {...all} />}>
        {isEmpty && !all.loading && <Nothing filtered={all.isFiltered} onClear={url.clear} />}
      </EventList>
    </Greyed>
  );
}

function faultOf(text: string): string | undefined {
  const word = wordOfNoEvent(text);
  return word === undefined
    ? undefined
    : `No event has ${word}: it is asked of locks. Search by key:, owner: or plain text.`;
}

function Older({ older, loading, failed, complete }: AllEvents) {
  return (
    <div className="flex items-center gap-3 px-4 py-2 text-ink-3" aria-live="polite">
      {failed && <span className="text-bad">The past could not be read.</span>}
      {older !== undefined && (
        <Button onClick={older} blocked={loading ? "They are on their way." : null}>
          {loading ? "Loading…" : failed ? "Try again" : "Load older"}
        </Button>
      )}
      {older === undefined && !failed && complete !== undefined && (
        <span>{complete ? "This is where the history begins." : "Older events are not kept."}</span>
      )}
    </div>
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear(): void }) {
  if (!filtered) {
    return (
      <EmptyState title="Nothing has happened yet">
        <p>Events appear here as locks are taken, renewed, released, freed or expire.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No event matches">
      <p>Nothing that is loaded matches the search and the chosen types.</p>
      <div>
        <Button onClick={onClear}>Show all</Button>
      </div>
    </EmptyState>
  );
}
