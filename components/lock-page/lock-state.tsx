"use client";

import type { KeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { HoldFact } from "@/components/release/hold-facts.tsx";
import { WaitFacts } from "@/components/release/wait-facts.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { KeyFields } from "@/lib/keys/key.ts";
import { findLongestHolder } from "../lock-facts/duration-rating.ts";
import { LivenessEvidence } from "../lock-facts/liveness-text.tsx";
import { LockLink } from "../lock-facts/lock-link.tsx";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { parseReservedHold } from "../lock-facts/lock-texts.ts";
import { HeldFor, LeaseBar, RemainingTime } from "../lock-facts/lock-times.tsx";
import { describeFormats, listFormats } from "../lock-facts/use-format-texts.ts";
import { VotesText } from "../lock-facts/votes-text.tsx";
import { WaiterCount } from "../lock-facts/waiters-text.tsx";
import { PermitsMeter } from "../lock-kinds/permits-meter.tsx";
import { HolderFacts } from "./holder-facts.tsx";
import { IfReleased } from "./if-released.tsx";
import { Participants } from "./participants.tsx";
import { PossibleLockNote } from "./possible-lock-note.tsx";
import { StateSentence } from "./state-sentence.tsx";
import { TypicalHeldTime } from "./typical-held-time.tsx";
import { UnheldLock } from "./unheld-lock.tsx";

interface LockStateProps {
  lock: Lock;
  history: KeyEvents;
  /** Called to release one of several holders. */
  onRelease(holder: Holder): void;
  blocked: string | null;
}

/** Shows the current state of a lock: the holder, the liveness, and the consequences of a release. */
export function LockState({ lock, history, onRelease, blocked }: LockStateProps) {
  const messages = useMessages(lockPage);
  return (
    <section aria-label={messages.parts.now} className="rounded-[10px] border border-line bg-panel">
      {lock.holders.length === 0 ? (
        <UnheldLock lock={lock} history={history} />
      ) : (
        <>
          <StateSentence lock={lock} />
          <PermitsMeter lock={lock} />
          <PossibleLockNote lock={lock} />
          <LockMetrics lock={lock} />
          <OperatorFacts lock={lock} />
          <Holders lock={lock} onRelease={onRelease} blocked={blocked} />
          <LockFacts lock={lock} />
        </>
      )}
    </section>
  );
}

/**
 * Shows the details of a single holder, or a list of several holders. Shows nothing for a latch, which has only a count
 * instead of holders.
 */
function Holders({ lock, onRelease, blocked }: Omit<LockStateProps, "history">) {
  const [holder, second] = lock.holders;
  if (holder === undefined || lock.kind === "latch") return null;
  const release = lock.release?.oneHolder ? onRelease : undefined;
  return second === undefined ? (
    <HolderFacts lock={lock} holder={holder} onRelease={release} blocked={blocked} />
  ) : (
    <Participants lock={lock} onRelease={release} blocked={blocked} />
  );
}

function LockMetrics({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const kinds = useMessages(lockKinds);
  const { holders, kind } = lock;
  const isShared = holders.length > 1;
  return (
    <div className="grid grid-cols-2 border-b border-line-soft sm:grid-cols-[3fr_3fr_2fr_2fr]">
      {kind !== "latch" && (
        <LockMetric name={messages.expiresIn}>
          <RemainingTime lock={lock} />
          <LeaseBar lock={lock} className="mt-2 w-full max-w-48" />
        </LockMetric>
      )}
      <LockMetric name={kind === "latch" ? kinds.closedFor : messages.heldFor}>
        <HeldFor holder={findLongestHolder(lock)} />
        <TypicalHeldTime lock={lock} />
      </LockMetric>
      <LockMetric name={messages.waiting}>
        <WaiterCount waiters={lock.waiters} />
      </LockMetric>
      <LockMetric name={isShared ? messages.holders : messages.count}>
        {isShared ? holders.length : holders.reduce((sum, { count }) => sum + count, 0)}
      </LockMetric>
    </div>
  );
}

function LockMetric({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-h-[86px] border-line-soft px-4 py-3 max-sm:odd:border-r max-sm:nth-[-n+2]:border-b sm:not-last:border-r">
      <div className="text-2xs text-ink-3">{name}</div>
      <div className="text-lg leading-7 font-semibold tracking-tight sm:text-[20px]">{children}</div>
    </div>
  );
}

const FACTS_CLASS = "grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-2 px-4 py-3.5";

/** Shows the liveness and the consequences of a release. */
function OperatorFacts({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const kinds = useMessages(lockKinds);
  // A reservation has no liveness, because no client holds the lock.
  const isReservation = lock.holders.some(({ owner }) => parseReservedHold(owner) !== null);
  return (
    <dl className={FACTS_CLASS}>
      {!isReservation && lock.kind !== "latch" && (
        <HoldFact name={messages.liveness}>
          <LivenessEvidence lock={lock} />
        </HoldFact>
      )}
      <WaitFacts lock={lock} />
      <HoldFact name={lock.kind === "latch" ? kinds.ifOpened : messages.ifReleased}>
        <IfReleased lock={lock} />
      </HoldFact>
    </dl>
  );
}

/** Shows details of the lock as a whole, such as its format and version. */
function LockFacts({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  // A version that consists of the fencing token is not shown, because the holder's details already show the token.
  const isVersionFence = lock.holders.some(
    ({ fence }) => fence !== null && lock.version === `fence.${fence}`,
  );
  return (
    <dl className={`${FACTS_CLASS} border-t border-line-soft`}>
      {lock.votes !== undefined && (
        <HoldFact name={messages.votes}>
          <VotesText lock={lock} votes={lock.votes} />
        </HoldFact>
      )}
      {lock.lastFence !== undefined && (
        <HoldFact name={messages.lastFence}>{messages.fromRedisson(lock.lastFence)}</HoldFact>
      )}
      {lock.permits?.total === null && (
        <HoldFact name={messages.permits}>{messages.permitsLeft(lock.permits.available)}</HoldFact>
      )}
      <HoldFact name={messages.format}>
        <LockFormatFact lock={lock} />
      </HoldFact>
      {lock.sharedWith.length > 0 && (
        <HoldFact name={messages.sameToken}>
          <SharedTokenKeys keys={lock.sharedWith} />
        </HoldFact>
      )}
      {!isVersionFence && (
        <HoldFact name={messages.version}>
          <span className="font-mono text-xs text-ink-3">
            <SafeText text={lock.version ?? messages.noVersion} wrap />
          </span>
        </HoldFact>
      )}
    </dl>
  );
}

function LockFormatFact({ lock }: { lock: Lock }) {
  const messages = useMessages(lockPage);
  const shared = useMessages(lockWords);
  const kinds = useMessages(lockKinds);
  const { layouts } = useMessages(formatFacts);
  const [only, second] = listFormats(lock);
  const formats = describeFormats(lock, shared);
  // The layout of the format describes only plain locks.
  const hasLayout = lock.kind !== "semaphore" && lock.kind !== "latch";
  return (
    <>
      {lock.kind === null || lock.kind === "lock"
        ? formats
        : messages.ofKind(formats, kinds.names[lock.kind])}
      {hasLayout && only !== undefined && second === undefined && (
        <span className="text-ink-3">{messages.layout(layouts[only])}</span>
      )}
      {lock.confidence !== null && lock.confidence !== "certain" && (
        <span className="text-ink-3">{messages.confidence[lock.confidence]}</span>
      )}
    </>
  );
}

/**
 * Lists links to the keys that have the same token because they were acquired together. An action on one of these keys
 * can affect the others.
 */
function SharedTokenKeys({ keys }: { keys: readonly KeyFields[] }) {
  return (
    <ul className="flex flex-col gap-0.5">
      {keys.map((fields) => (
        <li key={toLockPath(fields)}>
          <LockLink fields={fields} />
        </li>
      ))}
    </ul>
  );
}
