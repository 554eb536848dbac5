"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { hrefAt } from "@/components/app/target-link.tsx";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { HolderName, hasName } from "@/components/lock-facts/holder-text.tsx";
import { hrefOf, pathOf } from "@/components/lock-facts/lock-path.ts";
import { holdOffOf, holdOffText } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor } from "@/components/lock-facts/lock-times.tsx";
import { formatsOf } from "@/components/lock-facts/use-format-texts.ts";
import { formatClock, formatClockMs, formatElapsed } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive, useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { FACTS, Fact } from "./hold-facts.tsx";
import { OutcomeNote } from "./outcome-note.tsx";
import type { Free } from "./use-release.ts";

interface FreeResultProps {
  free: Free;
  result: ForceReleased;
  waited: LockWaiters | undefined;
  onClose(): void;
}

/** The release as a fact: whose hold, when, who was told, who has it now, and where that is written down. */
export function FreeResult({ free, result, waited, onClose }: FreeResultProps) {
  const words = useWords(english);
  const { state, current } = free;
  const freed = (state.holder ? [state.holder] : state.seen.holders).filter(hasName);
  const { owner, heldOff, asOf, masters, together } = result;
  const later = current !== undefined && current.asOf >= asOf ? current : undefined;
  const isBack =
    later !== undefined && later.asOf > asOf && later.holders.some((holder) => holder.owner === owner);
  return (
    <OutcomeNote
      tone={isBack ? "warn" : "ok"}
      title={isBack ? words.isBack : heldOff === undefined ? words.released : words.releasedHeldOff}
      comes="asked"
    >
      <p>
        <WhatIsGone owner={owner} />{" "}
        {heldOff !== undefined && words.heldOffUntil(formatClock(asOf + heldOff.holdOffMs))}
      </p>
      {isBack && <ComesBack lock={later} />}
      <dl className={FACTS}>
        {freed.length > 0 && (
          <Fact name={words.freed}>
            {freed.map((holder) => (
              <div key={holder.version}>
                <HolderName holder={holder} wrap />
              </div>
            ))}
          </Fact>
        )}
        {result.fence !== undefined && (
          <Fact name={words.fence}>
            <span className="font-mono text-xs">{result.fence}</span>
          </Fact>
        )}
        {result.heldMs !== undefined && <Fact name={words.held}>{formatElapsed(result.heldMs)}</Fact>}
        <Fact name={words.when}>{words.byRedis(formatClockMs(asOf))}</Fact>
        <Fact name={words.woken}>
          <Woken result={result} waited={waited} />
        </Fact>
        <Fact name={words.hasIt}>
          <HasItNow lock={later} />
        </Fact>
      </dl>
      {together !== undefined && (
        <p>
          {words.keysFreed(together.filter(({ outcome }) => outcome === "released").length, together.length)}
        </p>
      )}
      {masters !== undefined && <Masters masters={masters} />}
      {!isBack && result.watchMs !== undefined && <Watching result={result} />}
      <Records lock={state.seen} result={result} onClose={onClose} />
    </OutcomeNote>
  );
}

function WhatIsGone({ owner }: { owner: string | undefined }) {
  const lockText = useWords(lockWords);
  const words = useWords(english);
  if (owner === undefined) return <>{words.aHoldGone}</>;
  const holdOff = holdOffOf(owner);
  if (holdOff !== null)
    return <>{words.holdOffGone(<SafeText text={holdOffText(holdOff, lockText)} wrap />)}</>;
  return (
    <>
      {words.holdGone(
        <span className="font-mono text-xs break-all">
          <SafeText text={owner} wrap />
        </span>,
      )}
    </>
  );
}

function Woken({ result: { waiters, heldOff }, waited }: Pick<FreeResultProps, "result" | "waited">) {
  const words = useWords(english);
  const count = waiters?.count ?? null;
  const texts: string[] = [];
  const [first] = waited?.items ?? [];
  if (waited !== undefined && first !== undefined) {
    const more = Math.max(waited.waiters.count ?? 0, waited.named) - 1;
    const say = waited.order === "queue" ? words.wokenFirst : words.wokenLongest;
    texts.push(say(visibleText(first.owner), more));
  } else if (waiters !== undefined && count !== null && waiters.known !== "unknowable")
    texts.push(waiters.known === "exact" ? words.wokenExact(count) : words.wokenListeners(count));
  else texts.push(words.wokenUnseen);
  if (heldOff !== undefined) texts.push(words.wokenHeldOff);
  return <>{texts.join("; ")}</>;
}

function HasItNow({ lock }: { lock: Lock | undefined }) {
  const words = useWords(english);
  const [holder, ...others] = lock?.holders ?? [];
  if (holder === undefined) return <>{words.freeNow}</>;
  return (
    <>
      <HolderName holder={holder} wrap />
      {holdOffOf(holder.owner) === null && words.sinceThen(<HeldFor holder={holder} />)}
      {others.length > 0 && ` ${words.andMore(others.length)}`}
    </>
  );
}

/** The release was carried out, and did not last. */
function ComesBack({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const { of } = useWords(formatFacts);
  const texts = new Set(formatsOf(lock).map((format) => of[format].comesBack ?? words.tookAnew));
  return [...texts].map((text) => <p key={text}>{text}</p>);
}

function Masters({ masters }: { masters: NonNullable<ForceReleased["masters"]> }) {
  const words = useWords(english);
  const freed = masters.filter(({ outcome }) => outcome === "released").length;
  const silent = masters.filter(({ outcome }) => outcome === "away" || outcome === "unknown");
  return (
    <p>
      {words.atMasters(freed, masters.length)}{" "}
      {silent.length > 0 && words.silentMasters(silent.map(({ name }) => name).join(", "))}
    </p>
  );
}

/** Some libraries make a lock again. */
function Watching({ result: { asOf, watchMs = 0 } }: { result: ForceReleased }) {
  const words = useWords(english);
  const now = useServerNow() ?? asOf;
  const leftMs = asOf + watchMs - now;
  return (
    <p className="text-2xs text-ink-2">
      {leftMs > 0 ? words.watched(formatElapsed(leftMs + 999)) : words.stayedGone}
    </p>
  );
}

/** The event that tells of it, once it has come. */
function eventOf(
  events: ReturnType<typeof useKeyEvents>["events"],
  result: ForceReleased,
): LockEvent | undefined {
  return events
    .filter((entry) => !isGap(entry))
    .find(({ type, at }) => type === "force_released" && at === result.asOf);
}

const AUDIT_MARGIN_MS = 60_000;

function Records({ lock, result, onClose }: { lock: Lock; result: ForceReleased; onClose(): void }) {
  const words = useWords(english);
  const target = useTargetName();
  const { hello } = useLive();
  const { events } = useKeyEvents(pathOf(lock));
  const event = eventOf(events, result);
  const query = new URLSearchParams(target === undefined ? {} : { target });
  const audited = new URLSearchParams(query);
  audited.set("action", "force-release");
  // The filter is a glob.
  audited.set("key", lock.key.replace(/[*?[\]\\]/g, "?"));
  audited.set("from", String(Math.floor(result.asOf - AUDIT_MARGIN_MS)));
  if (event !== undefined) query.set("event", event.id);
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1">
      {event === undefined ? (
        <FactLink href={hrefAt(hrefOf(lock), target)} onClick={onClose}>
          {words.itsEvent}
        </FactLink>
      ) : (
        <FactLink href={`${hrefOf(lock)}?${query}`} onClick={onClose}>
          {words.itsEvent}
        </FactLink>
      )}
      {hello?.operator.may.includes("admin") && (
        <FactLink href={`/audit?${audited}`} onClick={onClose}>
          {words.itsAudit}
        </FactLink>
      )}
    </p>
  );
}

function FactLink({ href, onClick, children }: { href: string; onClick(): void; children: ReactNode }) {
  return (
    <Link
      href={href}
      prefetch={false}
      onClick={onClick}
      className="inline-flex min-h-6 items-center text-accent underline decoration-line hover:decoration-accent max-sm:min-h-11"
    >
      {children}
    </Link>
  );
}
