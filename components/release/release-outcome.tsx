"use client";

import { formatHoldEnding } from "@/components/events/text/event-text.ts";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { formatHolder, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatAgo } from "@/components/ui/format-duration.ts";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { OutcomeNote } from "./outcome-note.tsx";
import { ReleaseResult } from "./release-result.tsx";
import type { ReleaseForm } from "./use-release.ts";

interface ReleaseOutcomeProps {
  release: ReleaseForm;
  ended: LockEvent | undefined;
  onClose(): void;
}

/** What became of it; null while there is nothing to tell. */
export function ReleaseOutcome({ release, ended, onClose }: ReleaseOutcomeProps) {
  const messages = useMessages(english);
  const { state, current, drift, reviewNewHold } = release;
  const { step } = state;
  if (step.at === "done") {
    if (step.result.outcome === "released")
      return <ReleaseResult release={release} result={step.result} waited={step.waited} onClose={onClose} />;
    return (
      <AlreadyGoneOutcome ended={step.result.ended ?? ended} comes="asked">
        {state.choice === "reserve" && <p>{messages.notReserved}</p>}
      </AlreadyGoneOutcome>
    );
  }
  if (step.at === "refused") {
    return (
      <OutcomeNote tone="warn" title={messages.changedThere} comes="asked">
        <p>
          <CurrentHolder lock={step.lock} />
        </p>
        <ReviewNewHoldButton lock={pickNewerLock(step.lock, current)} onLook={reviewNewHold} />
      </OutcomeNote>
    );
  }
  if (step.at === "unknown" && drift === "same") {
    return (
      <OutcomeNote tone="bad" title={messages.noAnswer} comes="asked">
        <p>
          <ProblemText problem={step.why} />
        </p>
        <p>{messages.noAnswerText}</p>
      </OutcomeNote>
    );
  }
  if (step.at === "unverified" && drift === "same") return <UnverifiedOutcome lock={step.lock} />;
  if (step.at === "sending" || drift === "same") return null;
  if (drift === "gone") {
    return (
      <AlreadyGoneOutcome ended={ended} comes="unasked">
        {step.at === "unknown" && <p>{messages.maybeByYou}</p>}
      </AlreadyGoneOutcome>
    );
  }
  return (
    <OutcomeNote tone="warn" title={messages.changedHere} comes="unasked">
      <p>
        <CurrentHolder lock={current} /> {messages.changedText}
      </p>
      <ReviewNewHoldButton lock={current} onLook={reviewNewHold} />
    </OutcomeNote>
  );
}

function CurrentHolder({ lock }: { lock: Lock | undefined }) {
  const messages = useMessages(english);
  const [holder] = lock?.holders ?? [];
  if (holder === undefined) return <>{messages.nowFree}</>;
  const who = <HolderName holder={holder} wrap />;
  return (
    <>{parseReservedHold(holder.owner) === null ? messages.nowHeldBy(who) : messages.nowReserved(who)}</>
  );
}

function pickNewerLock(a: Lock | undefined, b: Lock | undefined): Lock | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.asOf > a.asOf ? b : a;
}

function ReviewNewHoldButton({ lock, onLook }: { lock: Lock | undefined; onLook(lock: Lock): void }) {
  const messages = useMessages(english);
  if (lock === undefined || lock.holders.length === 0) return null;
  return (
    <Button className="max-sm:h-11" onClick={() => onLook(lock)}>
      {messages.lookAtNew}
    </Button>
  );
}

function UnverifiedOutcome({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const [holder] = lock.holders;
  const lockText = useMessages(lockWords);
  const who =
    holder === undefined ? messages.itsOwner : <SafeText text={formatHolder(holder, lockText)} wrap />;
  return (
    <OutcomeNote tone="warn" title={messages.unverified} comes="asked">
      <p>{messages.unverifiedText(who)}</p>
    </OutcomeNote>
  );
}

interface AlreadyGoneOutcomeProps {
  ended: LockEvent | undefined;
  comes: "asked" | "unasked";
  children?: React.ReactNode;
}

function AlreadyGoneOutcome({ ended, comes, children }: AlreadyGoneOutcomeProps) {
  const eventMessages = useMessages(events);
  const messages = useMessages(english);
  return (
    <OutcomeNote tone="ok" title={messages.alreadyGone} comes={comes}>
      <p>
        {ended === undefined
          ? messages.goneUnseen
          : messages.goneSeen(formatHoldEnding(ended, eventMessages), <ElapsedText at={ended.at} />)}
      </p>
      {children}
    </OutcomeNote>
  );
}

function ElapsedText({ at }: { at: number }) {
  const messages = useMessages(ui);
  const now = useServerNow();
  return <>{formatAgo(now === null ? 0 : now - at, messages)}</>;
}
