import { memo, useMemo } from "react";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import { getReplayMark, MARK_CLASSES, REPLAY_MARKS, type ReplayMark } from "./replay-marks.ts";

const BAR_COUNT = 120;
const TRACK_HEIGHT = 36;

/**
 * The vertical position and height of each type of mark, in pixels. The types differ in position because color must not
 * be the only distinction.
 */
const MARK_PLACES: Readonly<Record<ReplayMark, { y: number; height: number }>> = {
  force_released: { y: 0, height: 6 },
  expired: { y: 6, height: 4 },
  released: { y: TRACK_HEIGHT - 2, height: 2 },
};

interface ReplayTrackProps {
  entries: readonly HistoryEntry[];
  from: number;
  to: number;
  position: number;
}

/**
 * Shows the current position, the gaps and, as bars, the number of events over time. Marks on the bars show where holds
 * ended. Each bar has at most one mark of each type.
 */
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
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(3, (count / most) * (TRACK_HEIGHT - 12)));
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
      {bars.map(({ at, count, marks }) => (
        <g key={at}>
          <rect
            x={at + 0.1}
            width={0.8}
            y={TRACK_HEIGHT - heightOf(count)}
            height={heightOf(count)}
            className="fill-ink-3 opacity-60"
          />
          {REPLAY_MARKS.filter((mark) => marks.has(mark)).map((mark) => (
            <rect key={mark} x={at} width={1} {...MARK_PLACES[mark]} className={MARK_CLASSES[mark]} />
          ))}
        </g>
      ))}
    </svg>
  );
});

interface TrackBar {
  readonly at: number;
  count: number;
  readonly marks: Set<ReplayMark>;
}

function countEventsPerBar(entries: readonly HistoryEntry[], from: number, to: number): TrackBar[] {
  const bars = Array.from({ length: BAR_COUNT }, (_, at): TrackBar => ({ at, count: 0, marks: new Set() }));
  for (const entry of entries) {
    if (isGap(entry)) continue;
    const share = (entry.at - from) / Math.max(1, to - from);
    const bar = bars[Math.min(BAR_COUNT - 1, Math.max(0, Math.floor(share * BAR_COUNT)))];
    if (bar === undefined) continue;
    bar.count++;
    const mark = getReplayMark(entry.type);
    if (mark !== undefined) bar.marks.add(mark);
  }
  return bars.filter(({ count }) => count > 0);
}
