"use client";

import { useRef } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { EventListHandle } from "../feed/event-list.tsx";
import { EventStream } from "../feed/event-stream.tsx";
import type { EventSearch } from "../feed/use-event-reader.ts";
import { ReplayBar } from "./replay-bar.tsx";
import type { ReplaySpeed } from "./replay-clock.ts";
import { type ReplaySpan, useReplay } from "./use-replay.ts";

const STEP_MS = 5000;
const LONG_STEP_MS = 30_000;
const NOTHING_SKIPPED: ReadonlyMap<string, number> = new Map();
const ignoreClick = () => undefined;

interface ReplayedEventsProps {
  search: EventSearch;
  span: ReplaySpan;
  /** The initial position in Unix milliseconds, where the replay is paused; `undefined` plays from the start. */
  at: number | undefined;
  speed: ReplaySpeed;
  onAt(at: number | undefined): void;
  onSpeed(speed: ReplaySpeed): void;
  onReplay(at: number): void;
  onEnd(): void;
}

/** Shows the replay of a time range: the bar with the controls and the list of events. */
export function ReplayedEvents({ search, span, at, speed, ...on }: ReplayedEventsProps) {
  const { empty, commands } = useMessages(eventsPage);
  const replay = useReplay(search, span, at, speed);
  const list = useRef<EventListHandle>(null);
  const seek = (position: number) => {
    // The URL contains the position of the last pause or move. It does not change while the replay plays.
    on.onAt(Math.round(replay.seek(position)));
  };
  const toggle = () => {
    on.onAt(replay.isPlaying ? Math.round(replay.position) : undefined);
    replay.toggle();
  };
  const step = (direction: 1 | -1) => (event: KeyboardEvent) => {
    event.preventDefault();
    seek(replay.position + direction * (event.shiftKey ? LONG_STEP_MS : STEP_MS));
  };
  useShortcuts({
    " ": (event) => {
      if (event.target instanceof HTMLElement && event.target.closest("button, a") !== null) return;
      event.preventDefault();
      toggle();
    },
    p: toggle,
    arrowleft: step(-1),
    arrowright: step(1),
  });
  useCommands([
    {
      id: "replay:play",
      name: replay.isPlaying ? commands.pauseReplay : commands.play,
      keys: "p",
      run: toggle,
    },
    { id: "replay:end", name: commands.endReplay, run: on.onEnd },
  ]);
  const isSilent = replay.state === "done" && replay.entries.length === 0;
  return (
    <>
      <ReplayBar
        search={search}
        replay={replay}
        onSeek={seek}
        onToggle={toggle}
        onSpeed={(wanted) => {
          replay.setSpeed(wanted);
          on.onSpeed(wanted);
        }}
        onEnd={on.onEnd}
      />
      <EventStream
        entries={replay.shown}
        skippedBefore={NOTHING_SKIPPED}
        follows
        isLoading={replay.state === "loading"}
        foldsRenewals={false}
        onTop={ignoreClick}
        onReading={undefined}
        waiting={0}
        onShowWaiting={ignoreClick}
        onJump={ignoreClick}
        onReplay={on.onReplay}
        onOlder={undefined}
        onNewer={undefined}
        isOlderComing={false}
        handle={list}
        end={null}
      >
        {replay.shown.length === 0 && replay.state !== "loading" && (
          <EmptyState title={isSilent ? empty.emptyRange : empty.span}>
            <p>{isSilent ? empty.emptyRangeText : empty.spanText}</p>
          </EmptyState>
        )}
      </EventStream>
    </>
  );
}
