"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { isServerAdmin } from "@/components/app/permissions.ts";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { HolderName, hasHolderName } from "@/components/lock-facts/holder-text.tsx";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import { formatReservedHold, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { listFormats } from "@/components/lock-facts/use-format-texts.ts";
import { formatClock, formatClockMs, formatElapsed } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { ForceReleased } from "@/lib/contract/actions/force-release.ts";
import type { LockEvent } from "@/lib/contract/event.ts";
import { isGap } from "@/lib/contract/gap.ts";
import type { Lock, Waiters } from "@/lib/contract/lock.ts";
import type { LockWaiters } from "@/lib/contract/waiters.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState, useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { findNextHolder } from "../lock-facts/next-holder.ts";
import { CurrentHolder } from "./current-holder.tsx";
import { FACTS_CLASS, HoldFact } from "./hold-facts.tsx";
import { OutcomeNote } from "./outcome-note.tsx";
import type { ReleaseForm } from "./use-release.ts";

interface ReleaseResultProps {
  form: ReleaseForm;
  result: ForceReleased;
  waited: LockWaiters | undefined;
  onClose(): void;
}

/**
 * Shows the result of a release, including the previous holder, the time of the release, the waiters, the current
 * holder, a link to the event and, for admins, a link to the audit log.
 */
export function ReleaseResult({ form, result, waited, onClose }: ReleaseResultProps) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const { state, current } = form;
  const released = (state.holder ? [state.holder] : state.seen.holders).filter(hasHolderName);
  const { owner, fence, reserved, asOf, masters, together } = result;
  const later = current !== undefined && current.asOf >= asOf ? current : undefined;
  const isBack = later !== undefined && later.asOf > asOf && isHeldAgain(later, { owner, fence });
  return (
    <OutcomeNote
      tone={isBack ? "warn" : "ok"}
      title={
        isBack
          ? messages.heldAgain
          : reserved === undefined
            ? messages.released
            : messages.releasedAndReserved
      }
      trigger="request"
    >
      <p>
        <ReleasedHold owner={owner} />{" "}
        {reserved !== undefined && messages.reservedUntil(formatClock(asOf + reserved.reservedMs))}
      </p>
      {isBack && <RecreatedHold lock={later} />}
      <dl className={FACTS_CLASS}>
        {released.length > 0 && (
          <HoldFact name={messages.releasedHolder}>
            {released.map((holder) => (
              <div key={holder.version}>
                <HolderName holder={holder} wrap />
              </div>
            ))}
          </HoldFact>
        )}
        {result.fence !== undefined && (
          <HoldFact name={messages.fence}>
            <span className="font-mono text-xs">{result.fence}</span>
          </HoldFact>
        )}
        {result.heldMs !== undefined && (
          <HoldFact name={messages.held}>{formatElapsed(result.heldMs, uiMessages)}</HoldFact>
        )}
        <HoldFact name={messages.when}>{messages.byRedis(formatClockMs(asOf))}</HoldFact>
        <HoldFact name={messages.waiters}>
          <NotifiedWaiters result={result} waited={waited} />
        </HoldFact>
        <HoldFact name={messages.currentHolder}>
          <CurrentHolder lock={later} />
        </HoldFact>
      </dl>
      {together !== undefined && (
        <p>
          {messages.keysReleased(
            together.filter(({ outcome }) => outcome === "released").length,
            together.length,
          )}
        </p>
      )}
      {masters !== undefined && <MasterResults masters={masters} />}
      {!isBack && result.watchMs !== undefined && <RecreationWatch result={result} />}
      <RecordLinks lock={state.seen} result={result} onClose={onClose} />
    </OutcomeNote>
  );
}

/**
 * Returns whether the released owner holds the lock again. Always false for holds with a fencing token, because
 * different holds can have the same owner string.
 */
function isHeldAgain({ holders }: Lock, { owner, fence }: Pick<ForceReleased, "owner" | "fence">): boolean {
  return fence === undefined && holders.some((holder) => holder.owner === owner && holder.fence === null);
}

function ReleasedHold({ owner }: { owner: string | undefined }) {
  const lockText = useMessages(lockWords);
  const messages = useMessages(english);
  if (owner === undefined) return <>{messages.aHoldGone}</>;
  const reservation = parseReservedHold(owner);
  if (reservation !== null)
    return (
      <>{messages.reservationGone(<SafeText text={formatReservedHold(reservation, lockText)} wrap />)}</>
    );
  return (
    <>
      {messages.holdGone(
        <span className="font-mono text-xs break-all">
          <SafeText text={owner} wrap />
        </span>,
      )}
    </>
  );
}

/**
 * Describes the waiters immediately before the release, by the same rules as the dialog's prediction of the next
 * holder.
 */
function NotifiedWaiters({
  result: { waiters, reserved },
  waited,
}: Pick<ReleaseResultProps, "result" | "waited">) {
  const messages = useMessages(english);
  const texts = messages.waitingThen;
  const next = findNextHolder(waiters ?? waited?.waiters ?? UNKNOWN_WAITERS, waited);
  const isNamed = next.is === "first_in_queue" || next.is === "longest_waiting";
  const text = isNamed
    ? texts.waiter(toVisibleText(next.waiter.owner), next.others)
    : next.is === "undetermined"
      ? texts.undetermined(next.count, next.known === "exact")
      : texts[next.is];
  return <>{reserved === undefined ? text : messages.waitersReserved(text)}</>;
}

const UNKNOWN_WAITERS: Waiters = { count: null, known: "unknown" };

/** Explains why the released owner holds the lock again. The explanation depends on the lock format. */
function RecreatedHold({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const { of } = useMessages(formatFacts);
  const texts = new Set(listFormats(lock).map((format) => of[format].comesBack ?? messages.acquiredAgain));
  return [...texts].map((text) => <p key={text}>{text}</p>);
}

function MasterResults({ masters }: { masters: NonNullable<ForceReleased["masters"]> }) {
  const messages = useMessages(english);
  const released = masters.filter(({ outcome }) => outcome === "released").length;
  const unanswered = masters.filter(({ outcome }) => outcome === "unreachable" || outcome === "unknown");
  return (
    <p>
      {messages.atMasters(released, masters.length)}{" "}
      {unanswered.length > 0 && messages.silentMasters(unanswered.map(({ name }) => name).join(", "))}
    </p>
  );
}

/**
 * Counts down while the server watches whether the client library recreates the lock. Afterwards, states that the lock
 * was not recreated.
 */
function RecreationWatch({ result: { asOf, watchMs = 0 } }: { result: ForceReleased }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? asOf;
  const leftMs = asOf + watchMs - now;
  return (
    <p className="text-2xs text-ink-2">
      {leftMs > 0 ? messages.watching(formatElapsed(leftMs + 999, uiMessages)) : messages.notRecreated}
    </p>
  );
}

/** Returns the `force_released` event of the release; `undefined` until the event has arrived. */
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
  const messages = useMessages(english);
  const target = useTargetName();
  const { hello } = useLiveState();
  const { events } = useKeyEvents(toLockPath(lock));
  const event = findReleaseEvent(events, result);
  const query = new URLSearchParams(target === undefined ? {} : { target });
  const audited = new URLSearchParams(query);
  audited.set("action", "force_release");
  // The audit log's key filter is a glob, so special characters in the key are replaced with the wildcard `?`.
  audited.set("key", lock.key.replace(/[*?[\]\\]/g, "?"));
  audited.set("from", String(Math.floor(result.asOf - AUDIT_MARGIN_MS)));
  if (event !== undefined) query.set("event", event.id);
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1">
      {event === undefined ? (
        <RecordLink href={buildTargetHref(buildLockHref(lock), target)} onClick={onClose}>
          {messages.viewEvent}
        </RecordLink>
      ) : (
        <RecordLink href={`${buildLockHref(lock)}?${query}`} onClick={onClose}>
          {messages.viewEvent}
        </RecordLink>
      )}
      {isServerAdmin(hello) && (
        <RecordLink href={`/audit?${audited}`} onClick={onClose}>
          {messages.viewAudit}
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
