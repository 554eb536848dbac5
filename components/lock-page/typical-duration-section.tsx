"use client";

import clsx from "clsx";
import { formatElapsed, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import type { TypicalMs, TypicalTimes } from "@/lib/contract/stats.ts";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
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

type TypicalDurationMessages = typeof lockParts.usual;

/** How long locks of this name are held and waited for, and where this one stands now. */
export function TypicalDurationSection({ lock }: { lock: Lock }) {
  const words = useMessages(lockParts).usual;
  const usual = useTypicalDurations(toLockPath(lock));
  if (
    usual !== undefined &&
    selectSufficientSamples(usual.heldMs) === undefined &&
    selectSufficientSamples(usual.waitedMs) === undefined
  ) {
    return <Section title={words.title} text={words.none} />;
  }
  return (
    <Section
      title={words.title}
      text={
        usual !== undefined && (
          <span>
            {words.of(
              <span className="font-mono text-xs">
                <SafeText text={usual.pattern} wrap />
              </span>,
            )}
          </span>
        )
      }
    >
      <div className="grid gap-x-8 gap-y-4 px-4 py-3 sm:grid-cols-2">
        {usual === undefined ? (
          <div aria-hidden className="h-[180px]" />
        ) : (
          <>
            <HeldDurations lock={lock} usual={usual} words={words} />
            <WaitDurations lock={lock} usual={usual} words={words} />
          </>
        )}
      </div>
    </Section>
  );
}

interface DurationPlotSectionProps {
  lock: Lock;
  usual: TypicalTimes;
  words: TypicalDurationMessages;
}

function HeldDurations({ lock, usual, words }: DurationPlotSectionProps) {
  const now = useServerNow();
  const holder = findLongestHolder(lock);
  const isHold = lock.state === "held" && holder !== undefined && parseReservedHold(holder.owner) === null;
  const nowMs = isHold ? (computeHeldTime(holder, now)?.ms ?? null) : null;
  return (
    <DurationSummary
      title={words.held}
      none={words.none}
      usual={selectSufficientSamples(usual.heldMs)}
      spread={usual.heldSpread}
      nowMs={nowMs}
      words={words}
      describe={(span, standing) =>
        standing.is === "usual"
          ? words.asUsual(span)
          : standing.is === "long"
            ? words.pastP95(span)
            : words.times(span, standing.times)
      }
    />
  );
}

function WaitDurations({ lock, usual, words }: DurationPlotSectionProps) {
  const now = useServerNow();
  const { data } = useWaiters(toLockPath(lock), lock.waiters.count);
  const begun = lock.waiters.count ? (data?.items ?? []).flatMap(({ since }) => since ?? []) : [];
  const nowMs = begun.length === 0 || now === null ? null : Math.max(0, now - Math.min(...begun));
  return (
    <DurationSummary
      title={words.waited}
      none={words.noneWaited}
      usual={selectSufficientSamples(usual.waitedMs)}
      spread={usual.waitedSpread}
      nowMs={nowMs}
      words={words}
      describe={(span, standing) =>
        standing.is === "usual"
          ? words.waitsAsUsual(span)
          : standing.is === "long"
            ? words.waitsPast(span)
            : words.waitsTimes(span, standing.times)
      }
    />
  );
}

interface DurationSummaryProps {
  title: string;
  none: string;
  usual: TypicalMs | undefined;
  spread: TypicalTimes["heldSpread"];
  nowMs: number | null;
  words: TypicalDurationMessages;
  describe(span: string, standing: DurationRating): string;
}

function DurationSummary({ title, none, usual, spread, nowMs, words, describe }: DurationSummaryProps) {
  if (usual === undefined) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="text-ink-2">{title}</h3>
        <p className="text-ink-3">{none}</p>
      </div>
    );
  }
  const half = words.half(formatSpan(usual.p50), formatSpan(usual.p95), formatSpan(getLongestMs(spread)));
  const standing = nowMs === null ? null : rateDuration(nowMs, usual);
  const isPast = standing !== null && standing.is !== "usual";
  const present = nowMs === null || standing === null ? "" : describe(formatElapsed(nowMs), standing);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-ink-2">{title}</h3>
      <DurationPlot
        spread={spread}
        usual={usual}
        nowMs={nowMs}
        isPast={isPast}
        label={`${title}: ${half} ${present}`}
        names={{
          p50: words.p50,
          p95: words.p95,
          now: nowMs === null ? null : words.heldNow(formatElapsed(nowMs)),
        }}
      />
      <p className="text-xs text-ink-2">
        {present !== "" && <span className={clsx(isPast && "font-medium text-warn")}>{present} </span>}
        {half}
        <span className="text-ink-3"> {words.samples(formatNumber(Math.round(usual.samples)))}</span>
      </p>
    </div>
  );
}
