import { memo, useMemo } from "react";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { isAlarmingEventType } from "../text/event-text.ts";

const BAR_COUNT = 120;
const TRACK_HEIGHT = 36;

interface ReplayTrackProps {
  entries: readonly HistoryEntry[];
  from: number;
  to: number;
  position: number;
}

/** How much happened when: a bar a share of the span, what is alarming in its colour, and the gaps. */
export function ReplayTrack({ entries, from, to, position }: ReplayTrackProps) {
  const place = (at: number) => (100 * (at - from)) / Math.max(1, to - from);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0 rounded-[6px] bg-line-soft">
      <TrackBars entries={entries} from={from} to={to} />
      <span
        className="absolute inset-y-0 left-0 rounded-l-[6px] bg-accent opacity-10"
        style={{ width: `${place(position)}%` }}
      />
      <span
        className="absolute -inset-y-0.5 w-0.5 -translate-x-1/2 rounded-full bg-accent"
        style={{ left: `${place(position)}%` }}
      />
    </div>
  );
}

const TrackBars = memo(function Bars({ entries, from, to }: Omit<ReplayTrackProps, "position">) {
  const bars = useMemo(() => countEventsPerBar(entries, from, to), [entries, from, to]);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const gaps = entries.filter(isGap);
  const place = (at: number) =>
    (BAR_COUNT * (Math.min(to, Math.max(from, at)) - from)) / Math.max(1, to - from);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(3, (count / most) * (TRACK_HEIGHT - 6)));
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${BAR_COUNT} ${TRACK_HEIGHT}`}
      preserveAspectRatio="none"
      className="absolute inset-0 h-full w-full"
    >
      {gaps.map((gap) => (
        <rect
          key={gap.id}
          x={place(gap.from)}
          width={Math.max(0.4, place(gap.to) - place(gap.from))}
          y={0}
          height={TRACK_HEIGHT}
          className="fill-warn opacity-30"
        />
      ))}
      {bars.map(({ at, count, alarming }) => (
        <g key={at}>
          <rect
            x={at + 0.1}
            width={0.8}
            y={TRACK_HEIGHT - heightOf(count)}
            height={heightOf(count)}
            className="fill-ink-3"
          />
          <rect
            x={at + 0.1}
            width={0.8}
            y={TRACK_HEIGHT - heightOf(alarming)}
            height={heightOf(alarming)}
            className="fill-bad"
          />
        </g>
      ))}
    </svg>
  );
});

interface TrackBar {
  readonly at: number;
  count: number;
  alarming: number;
}

function countEventsPerBar(entries: readonly HistoryEntry[], from: number, to: number): TrackBar[] {
  const bars = Array.from({ length: BAR_COUNT }, (_, at): TrackBar => ({ at, count: 0, alarming: 0 }));
  for (const entry of entries) {
    if (isGap(entry)) continue;
    const share = (entry.at - from) / Math.max(1, to - from);
    const bar = bars[Math.min(BAR_COUNT - 1, Math.max(0, Math.floor(share * BAR_COUNT)))];
    if (bar === undefined) continue;
    bar.count++;
    if (isAlarmingEventType(entry.type)) bar.alarming++;
  }
  return bars.filter(({ count }) => count > 0);
}
