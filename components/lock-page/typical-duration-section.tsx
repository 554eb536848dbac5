"use client";

import clsx from "clsx";
import { formatElapsed, formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Usual, UsualMs } from "@/lib/contract/stats.ts";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useUsual } from "@/lib/queries/typical-durations.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { eldestOf, longestOf, type Standing, standingOf, toldOf } from "../lock-facts/duration-rating.ts";
import { pathOf } from "../lock-facts/lock-path.ts";
import { heldAt, holdOffOf } from "../lock-facts/lock-texts.ts";
import { UsualPlot } from "./duration-plot.tsx";

type Words = typeof lockParts.usual;

/** How long locks of this name are held and waited for, and where this one stands now. */
export function UsualSection({ lock }: { lock: Lock }) {
  const words = useWords(lockParts).usual;
  const usual = useUsual(pathOf(lock));
  if (usual !== undefined && toldOf(usual.heldMs) === undefined && toldOf(usual.waitedMs) === undefined) {
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
            <Held lock={lock} usual={usual} words={words} />
            <Waited lock={lock} usual={usual} words={words} />
          </>
        )}
      </div>
    </Section>
  );
}

interface PlotOfProps {
  lock: Lock;
  usual: Usual;
  words: Words;
}

function Held({ lock, usual, words }: PlotOfProps) {
  const now = useServerNow();
  const holder = eldestOf(lock);
  const isHold = lock.state === "held" && holder !== undefined && holdOffOf(holder.owner) === null;
  const nowMs = isHold ? (heldAt(holder, now)?.ms ?? null) : null;
  return (
    <Times
      title={words.held}
      none={words.none}
      usual={toldOf(usual.heldMs)}
      spread={usual.heldSpread}
      nowMs={nowMs}
      words={words}
      said={(span, standing) =>
        standing.is === "usual"
          ? words.asUsual(span)
          : standing.is === "long"
            ? words.pastP95(span)
            : words.times(span, standing.times)
      }
    />
  );
}

function Waited({ lock, usual, words }: PlotOfProps) {
  const now = useServerNow();
  const { data } = useWaiters(pathOf(lock), lock.waiters.count);
  const begun = lock.waiters.count ? (data?.items ?? []).flatMap(({ since }) => since ?? []) : [];
  const nowMs = begun.length === 0 || now === null ? null : Math.max(0, now - Math.min(...begun));
  return (
    <Times
      title={words.waited}
      none={words.noneWaited}
      usual={toldOf(usual.waitedMs)}
      spread={usual.waitedSpread}
      nowMs={nowMs}
      words={words}
      said={(span, standing) =>
        standing.is === "usual"
          ? words.waitsAsUsual(span)
          : standing.is === "long"
            ? words.waitsPast(span)
            : words.waitsTimes(span, standing.times)
      }
    />
  );
}

interface TimesProps {
  title: string;
  none: string;
  usual: UsualMs | undefined;
  spread: Usual["heldSpread"];
  nowMs: number | null;
  words: Words;
  said(span: string, standing: Standing): string;
}

function Times({ title, none, usual, spread, nowMs, words, said }: TimesProps) {
  if (usual === undefined) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        <h3 className="text-ink-2">{title}</h3>
        <p className="text-ink-3">{none}</p>
      </div>
    );
  }
  const half = words.half(formatSpan(usual.p50), formatSpan(usual.p95), formatSpan(longestOf(spread)));
  const standing = nowMs === null ? null : standingOf(nowMs, usual);
  const isPast = standing !== null && standing.is !== "usual";
  const present = nowMs === null || standing === null ? "" : said(formatElapsed(nowMs), standing);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="text-ink-2">{title}</h3>
      <UsualPlot
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
