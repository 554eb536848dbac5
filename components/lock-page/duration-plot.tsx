import clsx from "clsx";
import type { TypicalMs, TypicalTimes } from "@/lib/contract/stats.ts";
import { createHistogramScale } from "./duration-distribution.ts";

const PLOT_HEIGHT = 44;

interface DurationPlotProps {
  histogram: TypicalTimes["heldSpread"];
  typical: TypicalMs;
  /** The duration of the current hold or wait in ms; `null` if there is none. */
  nowMs: number | null;
  isPast: boolean;
  /** The text alternative of the plot for screen readers. */
  label: string;
  /** The labels of the marks. */
  names: { p50: string; p95: string; now: string | null };
}

/**
 * Draws a histogram of past durations with marks for p50, p95 and the current duration. Positions are percentages, so
 * the plot adapts to a new width without rendering again.
 */
export function DurationPlot({ histogram, typical, nowMs, isPast, label, names }: DurationPlotProps) {
  const { bars, toPercent } = createHistogramScale(
    histogram,
    nowMs === null ? [typical.p95] : [typical.p95, nowMs],
  );
  const [half, most] = [toPercent(typical.p50), toPercent(typical.p95)];
  const here = nowMs === null ? null : toPercent(nowMs);
  return (
    <div role="img" aria-label={label} className="flex flex-col">
      <div className="relative h-5 text-2xs" aria-hidden>
        {here !== null && names.now !== null && (
          <span
            className={clsx(
              "absolute bottom-0.5 font-medium whitespace-nowrap",
              isPast ? "text-warn" : "text-ink-2",
              here > 50 ? "-translate-x-full pr-1.5" : "pl-1.5",
            )}
            style={{ left: `${here}%` }}
          >
            {names.now}
          </span>
        )}
      </div>
      <svg aria-hidden className="h-11 w-full overflow-visible" fill="currentColor">
        <rect x="0" y={PLOT_HEIGHT - 1} width="100%" height="1" className="text-line" />
        {bars.map(({ left, width, height }) => (
          <rect
            key={left}
            x={`${left}%`}
            y={PLOT_HEIGHT - 1 - (height * (PLOT_HEIGHT - 6)) / 100}
            width={`${Math.max(0.4, width - 0.25)}%`}
            height={(height * (PLOT_HEIGHT - 6)) / 100}
            rx="1"
            className="text-bar"
          />
        ))}
        <PlotMark at={half} className="text-ink-3" />
        <PlotMark at={most} className="text-ink-3" dashed />
        {here !== null && (
          <g className={isPast ? "text-warn" : "text-accent"}>
            <rect x={`${here}%`} y={-6} width="2" height={PLOT_HEIGHT + 6} transform="translate(-1 0)" />
          </g>
        )}
      </svg>
      <div className="relative h-4 text-2xs text-ink-3" aria-hidden>
        <MarkLabel at={half} isBefore={half > 8}>
          {names.p50}
        </MarkLabel>
        <MarkLabel at={most} isBefore={most > 92 && most - half > 8}>
          {names.p95}
        </MarkLabel>
      </div>
    </div>
  );
}

/**
 * Labels a mark. `isBefore` places the label to the left of the mark, so that the labels of two close marks do not
 * overlap.
 */
function MarkLabel({ at, isBefore, children }: { at: number; isBefore: boolean; children: string }) {
  return (
    <span
      className={clsx("absolute top-0.5 px-1 whitespace-nowrap", isBefore && "-translate-x-full")}
      style={{ left: `${at}%` }}
    >
      {children}
    </span>
  );
}

function PlotMark({ at, className, dashed = false }: { at: number; className: string; dashed?: boolean }) {
  return (
    <line
      x1={`${at}%`}
      x2={`${at}%`}
      y1={2}
      y2={PLOT_HEIGHT}
      stroke="currentColor"
      strokeWidth="1"
      strokeDasharray={dashed ? "3 2" : undefined}
      className={className}
    />
  );
}
