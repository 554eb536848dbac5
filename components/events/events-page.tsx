"use client";

import dynamic from "next/dynamic";
import { useEffect, useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { Button } from "@/components/ui/button.tsx";
import { LIST_PAGE_CLASS, PageHeader } from "@/components/ui/page-header.tsx";
import { SearchBox } from "@/components/ui/search/search-box.tsx";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { parseIdTime } from "@/lib/live/event-ids.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { findLockOnlyTerm } from "@/lib/query/event-terms.ts";
import { useLocationHash } from "../ui/use-location-hash.ts";
import { JumpToTime } from "./jump-to-time.tsx";
import { EventTypeFilter } from "./type-filter.tsx";
import { useEventsUrl } from "./use-events-url.ts";

/** Loads the code of the event list. The page calls this function early, while it waits for the stream. */
const loadLiveEvents = () => import("./feed/live-events.tsx").then((module) => module.LiveEvents);
const LiveEvents = dynamic(loadLiveEvents, { ssr: false, loading: () => <div className="min-h-0 flex-1" /> });
const ReplayedEvents = dynamic(
  () => import("./replay/replayed-events.tsx").then((module) => module.ReplayedEvents),
  {
    ssr: false,
  },
);
const ReplayForm = dynamic(() => import("./replay/replay-form.tsx").then((module) => module.ReplayForm), {
  ssr: false,
});

const MINUTE_MS = 60_000;

export function EventsPage() {
  useEffect(() => void loadLiveEvents(), []);
  const messages = useMessages(eventsPage);
  const url = useEventsUrl();
  const store = useLiveStore();
  const [isChoosing, setChoosing] = useState(false);
  const [controls, setControls] = useState<HTMLDivElement | null>(null);
  const search = { filter: url.filter, types: url.types };
  const [at, leaveLink] = useLinkedEventTime(url.at);
  const jump = (moment: number | undefined) => {
    leaveLink();
    url.setAt(moment);
  };
  const replayFrom = (moment: number) => {
    setChoosing(false);
    url.setReplay({ from: Math.floor(moment) - MINUTE_MS, to: Math.floor(moment) + 2 * MINUTE_MS });
  };
  const jumpTo = useRef<HTMLInputElement>(null);
  useCommands(
    url.replay === undefined
      ? [
          { id: "events:jump", name: messages.commands.jump, run: () => jumpTo.current?.focus() },
          { id: "events:replay", name: messages.commands.replay, run: () => setChoosing(true) },
        ]
      : [],
  );
  const faultOf = (text: string) => {
    const word = findLockOnlyTerm(text);
    return word === undefined ? undefined : messages.unsupportedTerm(word);
  };
  return (
    <StaleOverlay className={LIST_PAGE_CLASS}>
      <PageHeader title={messages.title}>
        <div className="flex min-w-48 flex-1">
          <SearchBox
            value={url.filter}
            onChange={url.setFilter}
            label={messages.search}
            placeholder={messages.searchHint}
            maxLength={300}
            faultOf={faultOf}
          />
        </div>
        {url.replay === undefined && <JumpToTime at={at} onJump={jump} inputRef={jumpTo} />}
        {url.replay === undefined && (
          <Button onClick={() => setChoosing(!isChoosing)} aria-expanded={isChoosing}>
            {messages.replay.open}
          </Button>
        )}
        {url.replay === undefined && <div ref={setControls} className="flex min-h-7" />}
      </PageHeader>
      <EventTypeFilter chosen={url.types} onChoose={url.setTypes} />
      {isChoosing && url.replay === undefined && (
        <ReplayForm
          search={search}
          at={at}
          now={store.clock.now() ?? Date.now()}
          onStart={(span) => {
            setChoosing(false);
            url.setReplay(span);
          }}
          onCancel={() => setChoosing(false)}
        />
      )}
      {url.replay === undefined ? (
        <LiveEvents
          controls={controls}
          search={search}
          at={at}
          onJump={jump}
          onReplay={replayFrom}
          onClear={url.clear}
        />
      ) : (
        <ReplayedEvents
          key={`${url.replay.from} ${url.replay.to}`}
          search={search}
          span={url.replay}
          at={at}
          speed={url.speed}
          onAt={url.setAt}
          onSpeed={url.setSpeed}
          onReplay={replayFrom}
          onEnd={() => url.setReplay(undefined)}
        />
      )}
    </StaleOverlay>
  );
}

/**
 * Returns the time up to which to show events, and a function that removes the linked event from the URL. The time is
 * `at` if set. Otherwise, it is the time in the event id that was in the URL fragment when the page was opened. Without
 * `at` and a linked event, the time is `undefined`.
 */
function useLinkedEventTime(at: number | undefined): [moment: number | undefined, leave: () => void] {
  const [hash, setHash] = useLocationHash();
  const [first] = useState(() => (typeof location === "undefined" ? "" : location.hash.slice(1)));
  const isLinked = hash !== "" && hash === first;
  return [at ?? (isLinked ? parseIdTime(first) : undefined), () => isLinked && setHash("")];
}
