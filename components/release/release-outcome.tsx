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
  const words = useMessages(english);
  const { state, current, drift, reviewNewHold } = release;
  const { step } = state;
  if (step.at === "done") {
    if (step.result.outcome === "released")
      return <ReleaseResult release={release} result={step.result} waited={step.waited} onClose={onClose} />;
    return (
      <AlreadyGoneOutcome ended={step.result.ended ?? ended} comes="asked">
        {state.choice === "hold-off" && <p>{words.notHeldOff}</p>}
      </AlreadyGoneOutcome>
    );
  }
  if (step.at === "refused") {
    return (
      <OutcomeNote tone="warn" title={words.changedThere} comes="asked">
        <p>
          <CurrentHolder lock={step.lock} />
        </p>
        <ReviewNewHoldButton lock={pickNewerLock(step.lock, current)} onLook={reviewNewHold} />
      </OutcomeNote>
    );
  }
  if (step.at === "unknown" && drift === "same") {
    return (
      <OutcomeNote tone="bad" title={words.noAnswer} comes="asked">
        <p>
          <ProblemText problem={step.why} />
        </p>
        <p>{words.noAnswerText}</p>
      </OutcomeNote>
    );
  }
  if (step.at === "unsure" && drift === "same") return <UnsureOutcome lock={step.lock} />;
  if (step.at === "sending" || drift === "same") return null;
  if (drift === "gone") {
    return (
      <AlreadyGoneOutcome ended={ended} comes="unasked">
        {step.at === "unknown" && <p>{words.maybeByYou}</p>}
      </AlreadyGoneOutcome>
    );
  }
  return (
    <OutcomeNote tone="warn" title={words.changedHere} comes="unasked">
      <p>
        <CurrentHolder lock={current} /> {words.changedText}
      </p>
      <ReviewNewHoldButton lock={current} onLook={reviewNewHold} />
    </OutcomeNote>
  );
}

function CurrentHolder({ lock }: { lock: Lock | undefined }) {
  const words = useMessages(english);
  const [holder] = lock?.holders ?? [];
  if (holder === undefined) return <>{words.nowFree}</>;
  const who = <HolderName holder={holder} wrap />;
  return <>{parseReservedHold(holder.owner) === null ? words.nowHeldBy(who) : words.nowHeldOff(who)}</>;
}

function pickNewerLock(a: Lock | undefined, b: Lock | undefined): Lock | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.asOf > a.asOf ? b : a;
}

function ReviewNewHoldButton({ lock, onLook }: { lock: Lock | undefined; onLook(lock: Lock): void }) {
  const words = useMessages(english);
  if (lock === undefined || lock.holders.length === 0) return null;
  return (
    <Button className="max-sm:h-11" onClick={() => onLook(lock)}>
      {words.lookAtNew}
    </Button>
  );
}

function UnsureOutcome({ lock }: { lock: Lock }) {
  const words = useMessages(english);
  const [holder] = lock.holders;
  const lockText = useMessages(lockWords);
  const who = holder === undefined ? words.itsOwner : <SafeText text={formatHolder(holder, lockText)} wrap />;
  return (
    <OutcomeNote tone="warn" title={words.unsure} comes="asked">
      <p>{words.unsureText(who)}</p>
    </OutcomeNote>
  );
}

interface AlreadyGoneOutcomeProps {
  ended: LockEvent | undefined;
  comes: "asked" | "unasked";
  children?: React.ReactNode;
}

function AlreadyGoneOutcome({ ended, comes, children }: AlreadyGoneOutcomeProps) {
  const eventWords = useMessages(events);
  const words = useMessages(english);
  return (
    <OutcomeNote tone="ok" title={words.alreadyGone} comes={comes}>
      <p>
        {ended === undefined
          ? words.goneUnseen
          : words.goneSeen(formatHoldEnding(ended, eventWords), <ElapsedText at={ended.at} />)}
      </p>
      {children}
    </OutcomeNote>
  );
}

function ElapsedText({ at }: { at: number }) {
  const words = useMessages(ui);
  const now = useServerNow();
  return <>{formatAgo(now === null ? 0 : now - at, words)}</>;
}
