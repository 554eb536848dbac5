"use client";

import clsx from "clsx";
import { formatElapsed, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs, TypicalTimes } from "@/lib/contract/stats.ts";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTypicalDurations } from "@/lib/queries/typical-durations.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import {
  type DurationRating,
  findLongestHolder,
  getLongestMs,
  rateDuration,
  selectSufficientSamples,
} from "../lock-facts/duration-rating.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { computeHeldTime, parseReservedHold } from "../lock-facts/lock-texts.ts";
import { DurationPlot } from "./duration-plot.tsx";

type TypicalDurationMessages = typeof lockParts.typical;

/**
 * Shows the typical hold and wait times of the key pattern, compared with the current hold and wait times of the lock.
 */
export function TypicalDurationSection({ lock }: { lock: Lock }) {
  const messages = useMessages(lockParts).typical;
  const typical = useTypicalDurations(toLockPath(lock));
  if (
    typical !== undefined &&
    selectSufficientSamples(typical.heldMs) === undefined &&
    selectSufficientSamples(typical.waitedMs) === undefined
  ) {
    return <Section title={messages.title} text={messages.none} />;
  }
  return (
    <Section
      title={messages.title}
      text={
        typical !== undefined && (
          <span>
            {messages.of(
              <span className="font-mono text-xs">
                <SafeText text={typical.pattern} wrap />
              </span>,
            )}
          </span>
        )
      }
    >
      <div className="grid gap-x-8 gap-y-4 px-4 py-3 sm:grid-cols-2">
        {typical === undefined ? (
          <div aria-hidden className="h-[180px]" />
        ) : (
          <>
            <HeldDurations lock={lock} typical={typical} messages={messages} />
            <WaitDurations lock={lock} typical={typical} messages={messages} />
          </>
        )}
      </div>
    </Section>
  );
}

interface DurationPlotSectionProps {
  lock: Lock;
  typical: TypicalTimes;
  messages: TypicalDurationMessages;
}

function HeldDurations({ lock, typical, messages }: DurationPlotSectionProps) {
  const now = useServerNow();
  const holder = findLongestHolder(lock);
  const isHold = lock.state === "held" && holder !== undefined && parseReservedHold(holder.owner) === null;
  const nowMs = isHold ? (computeHeldTime(holder, now)?.ms ?? null) : null;
  return (
    <DurationSummary
      title={messages.held}
      none={messages.none}
      typical={selectSufficientSamples(typical.heldMs)}
      histogram={typical.heldSpread}
      nowMs={nowMs}
      messages={messages}
      formatNow={() => messages.now}
      describe={(_span, rating) =>
        rating.is === "typical"
          ? messages.asTypical
          : rating.is === "long"
            ? messages.pastP95
            : messages.times(rating.times)
      }
    />
  );
}

function WaitDurations({ lock, typical, messages }: DurationPlotSectionProps) {
  const now = useServerNow();
  const { data } = useWaiters(toLockPath(lock), lock.waiters.count);
  const begun = lock.waiters.count ? (data?.items ?? []).flatMap(({ since }) => since ?? []) : [];
  const nowMs = begun.length === 0 || now === null ? null : Math.max(0, now - Math.min(...begun));
  return (
    <DurationSummary
      title={messages.waited}
      none={messages.noneWaited}
      typical={selectSufficientSamples(typical.waitedMs)}
      histogram={typical.waitedSpread}
      nowMs={nowMs}
      messages={messages}
      formatNow={messages.waitedNow}
      describe={(span, rating) =>
        rating.is === "typical"
          ? messages.waitsAsTypical(span)
          : rating.is === "long"
            ? messages.waitsPast(span)
            : messages.waitsTimes(span, rating.times)
      }
    />
  );
}

interface DurationSummaryProps {
  title: string;
  none: string;
  typical: TypicalMs | undefined;
  histogram: TypicalTimes["heldSpread"];
  nowMs: number | null;
  messages: TypicalDurationMessages;
  /** Formats the label of the mark for the current duration. */
  formatNow(span: string): string;
  describe(span: string, rating: DurationRating): string;
}

function DurationSummary({
  title,
  none,
  typical,
  histogram,
  nowMs,
  messages,
  formatNow,
  describe,
}: DurationSummaryProps) {
  const uiMessages = useMessages(ui);
  if (typical === undefined) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="text-ink-2">{title}</h3>
        <p className="text-ink-3">{none}</p>
      </div>
    );
  }
  const half = messages.half(
    formatSpan(typical.p50, uiMessages),
    formatSpan(typical.p95, uiMessages),
    formatSpan(getLongestMs(histogram), uiMessages),
  );
  const rating = nowMs === null ? null : rateDuration(nowMs, typical);
  const isPast = rating !== null && rating.is !== "typical";
  const present = nowMs === null || rating === null ? "" : describe(formatElapsed(nowMs, uiMessages), rating);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-ink-2">{title}</h3>
      <DurationPlot
        histogram={histogram}
        typical={typical}
        nowMs={nowMs}
        isPast={isPast}
        label={`${title}: ${half} ${present}`}
        names={{
          p50: messages.p50,
          p95: messages.p95,
          now: nowMs === null ? null : formatNow(formatElapsed(nowMs, uiMessages)),
        }}
      />
      <p className="text-xs text-ink-2">
        {present !== "" && <span className={clsx(isPast && "font-medium text-warn")}>{present} </span>}
        {half}
        <span className="text-ink-3"> {messages.samples(formatNumber(Math.round(typical.samples)))}</span>
      </p>
    </div>
  );
}
