"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { HolderName, hasHolderName } from "@/components/lock-facts/holder-text.tsx";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import { formatReservedHold, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor } from "@/components/lock-facts/lock-times.tsx";
import { listFormats } from "@/components/lock-facts/use-format-texts.ts";
import { formatClock, formatClockMs, formatElapsed } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { FACTS_CLASS, HoldFact } from "./hold-facts.tsx";
import { OutcomeNote } from "./outcome-note.tsx";
import type { ReleaseForm } from "./use-release.ts";

interface ReleaseResultProps {
  release: ReleaseForm;
  result: ForceReleased;
  waited: LockWaiters | undefined;
  onClose(): void;
}

/** The release as a fact: whose hold, when, who was told, who has it now, and where that is written down. */
export function ReleaseResult({ release, result, waited, onClose }: ReleaseResultProps) {
  const words = useMessages(english);
  const { state, current } = release;
  const freed = (state.holder ? [state.holder] : state.seen.holders).filter(hasHolderName);
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
        <ReleasedHold owner={owner} />{" "}
        {heldOff !== undefined && words.heldOffUntil(formatClock(asOf + heldOff.holdOffMs))}
      </p>
      {isBack && <RecreatedHold lock={later} />}
      <dl className={FACTS_CLASS}>
        {freed.length > 0 && (
          <HoldFact name={words.freed}>
            {freed.map((holder) => (
              <div key={holder.version}>
                <HolderName holder={holder} wrap />
              </div>
            ))}
          </HoldFact>
        )}
        {result.fence !== undefined && (
          <HoldFact name={words.fence}>
            <span className="font-mono text-xs">{result.fence}</span>
          </HoldFact>
        )}
        {result.heldMs !== undefined && <HoldFact name={words.held}>{formatElapsed(result.heldMs)}</HoldFact>}
        <HoldFact name={words.when}>{words.byRedis(formatClockMs(asOf))}</HoldFact>
        <HoldFact name={words.woken}>
          <NotifiedWaiters result={result} waited={waited} />
        </HoldFact>
        <HoldFact name={words.hasIt}>
          <NextHolder lock={later} />
        </HoldFact>
      </dl>
      {together !== undefined && (
        <p>
          {words.keysFreed(together.filter(({ outcome }) => outcome === "released").length, together.length)}
        </p>
      )}
      {masters !== undefined && <MasterResults masters={masters} />}
      {!isBack && result.watchMs !== undefined && <RecreationWatch result={result} />}
      <RecordLinks lock={state.seen} result={result} onClose={onClose} />
    </OutcomeNote>
  );
}

function ReleasedHold({ owner }: { owner: string | undefined }) {
  const lockText = useMessages(lockWords);
  const words = useMessages(english);
  if (owner === undefined) return <>{words.aHoldGone}</>;
  const holdOff = parseReservedHold(owner);
  if (holdOff !== null)
    return <>{words.holdOffGone(<SafeText text={formatReservedHold(holdOff, lockText)} wrap />)}</>;
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

function NotifiedWaiters({
  result: { waiters, heldOff },
  waited,
}: Pick<ReleaseResultProps, "result" | "waited">) {
  const words = useMessages(english);
  const count = waiters?.count ?? null;
  const texts: string[] = [];
  const [first] = waited?.items ?? [];
  if (waited !== undefined && first !== undefined) {
    const more = Math.max(waited.waiters.count ?? 0, waited.named) - 1;
    const say = waited.order === "queue" ? words.wokenFirst : words.wokenLongest;
    texts.push(say(toVisibleText(first.owner), more));
  } else if (waiters !== undefined && count !== null && waiters.known !== "unknowable")
    texts.push(waiters.known === "exact" ? words.wokenExact(count) : words.wokenListeners(count));
  else texts.push(words.wokenUnseen);
  if (heldOff !== undefined) texts.push(words.wokenHeldOff);
  return <>{texts.join("; ")}</>;
}

function NextHolder({ lock }: { lock: Lock | undefined }) {
  const words = useMessages(english);
  const [holder, ...others] = lock?.holders ?? [];
  if (holder === undefined) return <>{words.freeNow}</>;
  return (
    <>
      <HolderName holder={holder} wrap />
      {parseReservedHold(holder.owner) === null && words.sinceThen(<HeldFor holder={holder} />)}
      {others.length > 0 && ` ${words.andMore(others.length)}`}
    </>
  );
}

/** The release was carried out, and did not last. */
function RecreatedHold({ lock }: { lock: Lock }) {
  const words = useMessages(english);
  const { of } = useMessages(formatFacts);
  const texts = new Set(listFormats(lock).map((format) => of[format].comesBack ?? words.tookAnew));
  return [...texts].map((text) => <p key={text}>{text}</p>);
}

function MasterResults({ masters }: { masters: NonNullable<ForceReleased["masters"]> }) {
  const words = useMessages(english);
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
function RecreationWatch({ result: { asOf, watchMs = 0 } }: { result: ForceReleased }) {
  const words = useMessages(english);
  const now = useServerNow() ?? asOf;
  const leftMs = asOf + watchMs - now;
  return (
    <p className="text-2xs text-ink-2">
      {leftMs > 0 ? words.watched(formatElapsed(leftMs + 999)) : words.stayedGone}
    </p>
  );
}

/** The event that tells of it, once it has come. */
function findReleaseEvent(
  events: ReturnType<typeof useKeyEvents>["events"],
  result: ForceReleased,
): LockEvent | undefined {
  return events
    .filter((entry) => !isGap(entry))
    .find(({ type, at }) => type === "force_released" && at === result.asOf);
}

const AUDIT_MARGIN_MS = 60_000;

function RecordLinks({ lock, result, onClose }: { lock: Lock; result: ForceReleased; onClose(): void }) {
  const words = useMessages(english);
  const target = useTargetName();
  const { hello } = useLiveState();
  const { events } = useKeyEvents(toLockPath(lock));
  const event = findReleaseEvent(events, result);
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
        <RecordLink href={buildTargetHref(buildLockHref(lock), target)} onClick={onClose}>
          {words.itsEvent}
        </RecordLink>
      ) : (
        <RecordLink href={`${buildLockHref(lock)}?${query}`} onClick={onClose}>
          {words.itsEvent}
        </RecordLink>
      )}
      {hello?.operator.may.includes("admin") && (
        <RecordLink href={`/audit?${audited}`} onClick={onClose}>
          {words.itsAudit}
        </RecordLink>
      )}
    </p>
  );
}

function RecordLink({ href, onClick, children }: { href: string; onClick(): void; children: ReactNode }) {
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
