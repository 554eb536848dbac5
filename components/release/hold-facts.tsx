"use client";

import type { ReactNode } from "react";
import { HolderName, hasName } from "@/components/lock-facts/holder-text.tsx";
import { pathOf } from "@/components/lock-facts/lock-path.ts";
import { holdOffOf, nameOf } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor, Remaining } from "@/components/lock-facts/lock-times.tsx";
import { formatsText } from "@/components/lock-facts/use-format-texts.ts";
import { VotesText } from "@/components/lock-facts/votes-text.tsx";
import { formatFence, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useUsual } from "@/lib/queries/typical-durations.ts";

export const FACTS = "grid grid-cols-[92px_minmax(0,1fr)] gap-x-3 gap-y-1.5";

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** One of the questions that are answered before anything is offered. */
export function Question({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="text-2xs font-medium tracking-wide text-ink-3">{title}</h3>
      {children}
    </section>
  );
}

/** Who holds it, or in whose name everybody is kept off. */
export function HeldBy({ holder, children }: { holder: Holder; children?: ReactNode }) {
  const words = useWords(english);
  const holdOff = holdOffOf(holder.owner);
  if (holdOff === null) {
    return (
      <Fact name={words.heldBy}>
        <HolderName holder={holder} wrap />
        {children}
      </Fact>
    );
  }
  return (
    <Fact name={words.heldOff}>
      {holdOff.by === null ? words.forLeastTime : words.by(<SafeText text={holdOff.by} wrap />)}
      {children}
    </Fact>
  );
}

/** As the server judges: of fewer nobody knows what is usual. */
const SAMPLES_LEAST = 3;

/** What is about to be freed, as it was seen: the lock, or one of its holders. */
export function FreeFacts({ lock, only }: { lock: Lock; only?: Holder | undefined }) {
  const words = useWords(english);
  const lockText = useWords(lockWords);
  const usual = useUsual(pathOf(lock))?.heldMs ?? null;
  const holder = only ?? lock.holders[0];
  if (holder === undefined) return <p className="text-ink-2">{words.nobody}</p>;
  return (
    <>
      <dl className={FACTS}>
        <HeldBy holder={holder}>
          {holder.count > 1 && words.count(holder.count)}
          <OwnerBelow holder={holder} />
        </HeldBy>
        {lock.votes !== undefined && (
          <Fact name={words.votes}>
            <VotesText lock={lock} votes={lock.votes} />
          </Fact>
        )}
      </dl>
      <dl className={`${FACTS} sm:grid-cols-[92px_minmax(0,1fr)_62px_minmax(0,1fr)]`}>
        <Fact name={words.forHowLong}>
          <HeldFor holder={holder} />
          {usual !== null && usual.samples >= SAMPLES_LEAST && (
            <span className="text-ink-3">{words.usually(formatSpan(usual.p50))}</span>
          )}
        </Fact>
        <Fact name={words.expires}>
          <Remaining lock={lock} />
        </Fact>
        <Fact name={words.fence}>
          <FenceText lock={lock} holder={holder} />
        </Fact>
        <Fact name={words.format}>{formatsText(lock, lockText)}</Fact>
      </dl>
    </>
  );
}

/** What stands in Redis, and what it is held for. */
function OwnerBelow({ holder }: { holder: Holder }) {
  const purpose = holder.record?.purpose;
  return (
    <>
      {hasName(holder) && (
        <div className="font-mono text-xs break-all text-ink-3">
          <SafeText text={holder.owner} wrap />
        </div>
      )}
      {purpose !== undefined && nameOf(holder)?.who !== purpose && (
        <div className="text-ink-2">
          <SafeText text={purpose} wrap />
        </div>
      )}
    </>
  );
}

function FenceText({ lock, holder: { fence } }: { lock: Lock; holder: Holder }) {
  const words = useWords(english);
  if (fence === null) {
    return (
      <span className="text-ink-3" title={lock.lastFence === undefined ? words.noFence : undefined}>
        {lock.lastFence === undefined ? words.none : words.redissonsFence(lock.lastFence)}
      </span>
    );
  }
  return (
    <span className="font-mono text-xs" title={formatFence(fence)}>
      {fence}
    </span>
  );
}
