import { timeline as english } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { HoldBarEnd } from "./timeline-bars.ts";
import { BarSwatch, REQUEST_MARKS } from "./timeline-lanes.tsx";

interface TimelineLegendProps {
  others: number;
  hasOverlaps: boolean;
  ends: ReadonlySet<HoldBarEnd | "overdue">;
  /** Whether the timeline ends before now. */
  isPast: boolean;
  hasFences: boolean;
  hasRequests: boolean;
}

/** Shows the legend for the marks that the visible part of the timeline contains. */
export function TimelineLegend({
  others,
  hasOverlaps,
  ends,
  isPast,
  hasFences,
  hasRequests,
}: TimelineLegendProps) {
  const messages = useMessages(english);
  const isForced = ends.has("force_released") || ends.has("evicted");
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-2xs text-ink-3">
      {(["open", "overdue"] as const).map(
        (end) =>
          ends.has(end) && (
            <span key={end}>
              <BarSwatch end={end} />
              {end === "overdue" ? messages.overdueNow : isPast ? messages.heldThen : messages.heldNow}
            </span>
          ),
      )}
      {ends.has("expired") && (
        <span>
          <BarSwatch end="expired" />
          <span className="font-semibold text-warn">◇</span> {messages.expired}
        </span>
      )}
      {isForced && (
        <span>
          <BarSwatch end="force_released" />
          <span className="font-semibold text-bad">×</span> {messages.forced}
        </span>
      )}
      {hasRequests && (
        <span>
          <span className="font-semibold text-ink">{[...REQUEST_MARKS.values()].join(" ")}</span>{" "}
          {messages.requests}
        </span>
      )}
      {hasFences && <span>{messages.fenceDigits}</span>}
      <span>{messages.dashed}</span>
      {hasOverlaps && <span>{messages.overlap}</span>}
      {others > 0 && <span>{messages.others(others)}</span>}
    </p>
  );
}
