"use client";

import { Pause, Play, RotateCcw, X } from "lucide-react";
import { useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { EventSearch } from "../feed/use-event-reader.ts";
import { formatShortTime } from "../text/event-time.ts";
import { REPLAY_SPEEDS } from "./replay-clock.ts";
import { getReplayMark, MARK_CLASSES, REPLAY_MARKS } from "./replay-marks.ts";
import { ReplayScope } from "./replay-scope.tsx";
import { ReplayTrack } from "./replay-track.tsx";
import type { Replay } from "./use-replay.ts";

interface ReplayBarProps {
  search: EventSearch;
  replay: Replay;
  onSeek(position: number): void;
  onToggle(): void;
  onSpeed(speed: (typeof REPLAY_SPEEDS)[number]): void;
  onEnd(): void;
}

export function ReplayBar({ search, replay, onSeek, onToggle, onSpeed, onEnd }: ReplayBarProps) {
  const { replay: messages } = useMessages(eventsPage);
  const { clock, position, isPlaying, isOver } = replay;
  const name = isPlaying ? messages.pause : isOver ? messages.again : messages.play;
  const Icon = isPlaying ? Pause : isOver ? RotateCcw : Play;
  return (
    <section
      aria-label={messages.label}
      className="flex flex-col gap-1.5 rounded-[10px] border border-accent bg-panel px-3 py-2"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button variant="primary" onClick={onToggle} aria-label={name} title={messages.keys} size="icon">
          <Icon aria-hidden size={14} />
        </Button>
        <time
          data-testid="replay-clock"
          dateTime={new Date(position).toISOString()}
          className="min-w-[9ch] font-mono text-lg font-semibold tabular-nums"
        >
          {formatShortTime(position)}
        </time>
        <ReplaySlider replay={replay} onSeek={onSeek} onToggle={onToggle} />
        <fieldset className="flex gap-0.5">
          <legend className="sr-only">{messages.speed}</legend>
          {REPLAY_SPEEDS.map((speed) => (
            <Button
              key={speed}
              size="small"
              variant={clock.speed === speed ? "plain" : "quiet"}
              aria-pressed={clock.speed === speed}
              onClick={() => onSpeed(speed)}
            >
              {messages.times(speed)}
            </Button>
          ))}
        </fieldset>
        <Button variant="quiet" size="icon" aria-label={messages.end} title={messages.end} onClick={onEnd}>
          <X aria-hidden size={14} />
        </Button>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
        <ReplayScope search={search} />
        <ReplayLegend entries={replay.entries} />
      </div>
      <ReplayStatus replay={replay} />
    </section>
  );
}

function ReplaySlider({ replay, onSeek, onToggle }: Pick<ReplayBarProps, "replay" | "onSeek" | "onToggle">) {
  const { replay: messages } = useMessages(eventsPage);
  const { clock, position, entries } = replay;
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="order-last flex w-full min-w-0 items-center gap-3 md:order-none md:w-auto md:flex-1">
      <time className="font-mono text-2xs whitespace-nowrap text-ink-3">{formatShortTime(clock.from)}</time>
      <div className="relative h-9 min-w-0 flex-1">
        <ReplayTrack entries={entries} from={clock.from} to={clock.to} position={position} />
        <input
          ref={input}
          type="range"
          aria-label={messages.position}
          aria-valuetext={formatShortTime(position)}
          min={clock.from}
          max={clock.to}
          step={1000}
          value={position}
          onChange={({ target }) => onSeek(Number(target.value))}
          onKeyDown={(event) => {
            if (event.key !== " ") return;
            event.preventDefault();
            onToggle();
          }}
          className="absolute inset-0 m-0 h-full w-full cursor-pointer accent-accent opacity-0 focus-visible:opacity-100"
        />
      </div>
      <time className="font-mono text-2xs whitespace-nowrap text-ink-3">{formatShortTime(clock.to)}</time>
    </div>
  );
}

/** Shows the legend of the track, with the number of marks of each type. */
function ReplayLegend({ entries }: Pick<Replay, "entries">) {
  const { replay: messages } = useMessages(eventsPage);
  const marks = entries.map(({ type }) => getReplayMark(type));
  const gaps = entries.filter(isGap).length;
  const items = [
    ...REPLAY_MARKS.map((mark) => ({
      name: messages.marks[mark],
      count: marks.filter((each) => each === mark).length,
      className: MARK_CLASSES[mark],
    })),
    { name: messages.gaps, count: gaps, className: "fill-warn opacity-30" },
  ];
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-2xs text-ink-2 tabular-nums">
      {items.map(({ name, count, className }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2">
            <rect width={8} height={8} className={className} />
          </svg>
          <span>{name}</span>
          <span className="text-ink-3">{formatNumber(count)}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * Shows how many events are loaded and whether the range is incomplete. Announces the end of the replay to screen
 * readers.
 */
function ReplayStatus({ replay }: { replay: Replay }) {
  const { replay: messages } = useMessages(eventsPage);
  const { entries, state, isWhole, cutAt, position, isOver, clock } = replay;
  const count = formatNumber(entries.length);
  const isUnwatched = entries.some((entry) => isGap(entry) && entry.from <= position && position <= entry.to);
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-0.5 text-2xs text-ink-3">
      {state === "failed" && (
        <p role="alert" className="text-bad">
          {messages.failed}
        </p>
      )}
      {state === "loading" && <p role="status">{messages.loading(count)}</p>}
      {state === "done" && cutAt === undefined && <p>{messages.loaded(count)}</p>}
      {cutAt !== undefined && <p className="text-warn">{messages.cut(count, formatShortTime(cutAt))}</p>}
      {!isWhole && <p className="text-warn">{messages.incomplete}</p>}
      {isUnwatched && <p className="text-warn">{messages.unwatched}</p>}
      <p role="status" className="text-ink">
        {isOver ? messages.finished(formatShortTime(clock.to)) : ""}
      </p>
    </div>
  );
}
