"use client";

import { endingText } from "@/components/events/text/event-text.ts";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { holdOffOf, nameText } from "@/components/lock-facts/lock-texts.ts";
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
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { OutcomeNote } from "./outcome-note.tsx";
import { FreeResult } from "./release-result.tsx";
import type { Free } from "./use-release.ts";

interface FreeOutcomeProps {
  free: Free;
  ended: LockEvent | undefined;
  onClose(): void;
}

/** What became of it; null while there is nothing to tell. */
export function FreeOutcome({ free, ended, onClose }: FreeOutcomeProps) {
  const words = useWords(english);
  const { state, current, drift, look } = free;
  const { step } = state;
  if (step.at === "done") {
    if (step.result.outcome === "released")
      return <FreeResult free={free} result={step.result} waited={step.waited} onClose={onClose} />;
    return (
      <Gone ended={step.result.ended ?? ended} comes="asked">
        {state.choice === "hold-off" && <p>{words.notHeldOff}</p>}
      </Gone>
    );
  }
  if (step.at === "refused") {
    return (
      <OutcomeNote tone="warn" title={words.changedThere} comes="asked">
        <p>
          <HeldNow lock={step.lock} />
        </p>
        <LookAgain lock={newer(step.lock, current)} onLook={look} />
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
  if (step.at === "unsure" && drift === "same") return <Unsure lock={step.lock} />;
  if (step.at === "sending" || drift === "same") return null;
  if (drift === "gone") {
    return (
      <Gone ended={ended} comes="unasked">
        {step.at === "unknown" && <p>{words.maybeByYou}</p>}
      </Gone>
    );
  }
  return (
    <OutcomeNote tone="warn" title={words.changedHere} comes="unasked">
      <p>
        <HeldNow lock={current} /> {words.changedText}
      </p>
      <LookAgain lock={current} onLook={look} />
    </OutcomeNote>
  );
}

function HeldNow({ lock }: { lock: Lock | undefined }) {
  const words = useWords(english);
  const [holder] = lock?.holders ?? [];
  if (holder === undefined) return <>{words.nowFree}</>;
  const who = <HolderName holder={holder} wrap />;
  return <>{holdOffOf(holder.owner) === null ? words.nowHeldBy(who) : words.nowHeldOff(who)}</>;
}

function newer(a: Lock | undefined, b: Lock | undefined): Lock | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.asOf > a.asOf ? b : a;
}

function LookAgain({ lock, onLook }: { lock: Lock | undefined; onLook(lock: Lock): void }) {
  const words = useWords(english);
  if (lock === undefined || lock.holders.length === 0) return null;
  return (
    <Button className="max-sm:h-11" onClick={() => onLook(lock)}>
      {words.lookAtNew}
    </Button>
  );
}

function Unsure({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const [holder] = lock.holders;
  const lockText = useWords(lockWords);
  const who = holder === undefined ? words.itsOwner : <SafeText text={nameText(holder, lockText)} wrap />;
  return (
    <OutcomeNote tone="warn" title={words.unsure} comes="asked">
      <p>{words.unsureText(who)}</p>
    </OutcomeNote>
  );
}

interface GoneProps {
  ended: LockEvent | undefined;
  comes: "asked" | "unasked";
  children?: React.ReactNode;
}

function Gone({ ended, comes, children }: GoneProps) {
  const eventWords = useWords(events);
  const words = useWords(english);
  return (
    <OutcomeNote tone="ok" title={words.alreadyGone} comes={comes}>
      <p>
        {ended === undefined
          ? words.goneUnseen
          : words.goneSeen(endingText(ended, eventWords), <Ago at={ended.at} />)}
      </p>
      {children}
    </OutcomeNote>
  );
}

function Ago({ at }: { at: number }) {
  const words = useWords(ui);
  const now = useServerNow();
  return <>{formatAgo(now === null ? 0 : now - at, words)}</>;
}
