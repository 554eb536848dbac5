"use client";

import type { ReactNode } from "react";
import { formatHoldEnding } from "@/components/events/text/event-text.ts";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { formatHolder, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatAgo, formatNumber } from "@/components/ui/format-duration.ts";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { describeHoldChange, findEndEvent } from "./hold-drift.ts";
import { OutcomeNote } from "./outcome-note.tsx";
import { ReleaseResult } from "./release-result.tsx";
import { findReviewSubject } from "./release-state.ts";
import { RequestResult } from "./request-result.tsx";
import type { ReleaseForm } from "./use-release.ts";

interface ReleaseOutcomeProps {
  form: ReleaseForm;
  onClose(): void;
}

/**
 * Shows the result of the release attempt, or how the hold that the operator saw has changed. Renders nothing if there
 * is neither, or while a request is being sent.
 */
export function ReleaseOutcome({ form, onClose }: ReleaseOutcomeProps) {
  const messages = useMessages(english);
  const { state, current, drift, ending } = form;
  const { step } = state;
  if (step.at === "done") {
    if (step.result.outcome === "released")
      return <ReleaseResult form={form} result={step.result} waited={step.waited} onClose={onClose} />;
    return (
      <AlreadyGoneOutcome ended={step.result.ended ?? ending} trigger="request">
        {form.choice === "reserve" && <p>{messages.notReserved}</p>}
      </AlreadyGoneOutcome>
    );
  }
  if (step.at === "refused")
    return <ChangedOutcome form={form} lock={pickNewerLock(step.lock, current)} trigger="request" />;
  if (step.at === "unknown" && drift === "same") {
    return (
      <OutcomeNote tone="bad" title={messages.noResponse} trigger="request">
        <p>
          <ProblemText problem={step.why} />
        </p>
        <p>{messages.noResponseText}</p>
      </OutcomeNote>
    );
  }
  if (step.at === "unverified" && drift === "same") return <UnverifiedOutcome lock={step.lock} />;
  if (step.at === "sending" || drift === "same") return null;
  if (isRequestedEnd(form)) return <RequestResult form={form} />;
  if (drift === "other") return <ChangedOutcome form={form} lock={current} trigger="change" />;
  return (
    <AlreadyGoneOutcome ended={ending} trigger="change">
      {step.at === "unknown" && <p>{messages.checkHistory}</p>}
    </AlreadyGoneOutcome>
  );
}

/**
 * Returns whether the holder released the lock after a release request. The end event can arrive after the new state of
 * the lock, so a hold without a known end event counts as released by its holder.
 */
function isRequestedEnd({ state: { request, seen, holder }, events: keyEvents }: ReleaseForm): boolean {
  if (request === null) return false;
  return (findEndEvent(seen, holder, keyEvents)?.type ?? "released") === "released";
}

interface ChangedOutcomeProps {
  form: ReleaseForm;
  /** The current state of the lock; `undefined` if the state is not known. */
  lock: Lock | undefined;
  /**
   * `request`: the server refused the release because the hold had changed. `change`: the live stream reported the
   * change.
   */
  trigger: "request" | "change";
}

/**
 * Describes how the hold has changed: another owner holds the lock, the same owner acquired the lock again, or the hold
 * may be a different one because Redis was not observed continuously.
 */
function ChangedOutcome({ form: { state, reviewNewHold }, lock, trigger }: ChangedOutcomeProps) {
  const messages = useMessages(english);
  const subject = lock === undefined ? undefined : findReviewSubject(lock, state.holder);
  if (lock !== undefined && lock.holders.length > 0 && subject === undefined)
    return <ParticipantGoneOutcome others={lock.holders.length} trigger={trigger} />;
  const holder = subject?.holder ?? lock?.holders[0];
  const change =
    lock === undefined || holder === undefined
      ? "other_owner"
      : describeHoldChange(state.seen, state.holder, lock);
  const who = holder === undefined ? null : <HolderName holder={holder} wrap />;
  const texts: Record<typeof change, ReactNode> = {
    other_owner: (
      <>
        <CurrentHolderSentence lock={lock} /> {messages.changedText}
      </>
    ),
    reacquired: messages.reacquiredText(who),
    not_followed: messages.notFollowedText(who),
  };
  return (
    <OutcomeNote
      tone="warn"
      title={trigger === "request" ? messages.changedThere : messages.changedTitles[change]}
      trigger={trigger}
    >
      <p>{texts[change]}</p>
      {subject !== undefined && subject.lock.holders.length > 0 && (
        <Button className="max-sm:h-11" onClick={() => reviewNewHold(subject)}>
          {messages.reviewCurrent}
        </Button>
      )}
    </OutcomeNote>
  );
}

/** States that the selected holder no longer holds the lock. Does not offer to release another holder. */
function ParticipantGoneOutcome({ others, trigger }: { others: number; trigger: "request" | "change" }) {
  const messages = useMessages(lockKinds);
  return (
    <OutcomeNote tone="warn" title={messages.participantGone} trigger={trigger}>
      <p>{messages.participantGoneText(others, formatNumber(others))}</p>
    </OutcomeNote>
  );
}

function CurrentHolderSentence({ lock }: { lock: Lock | undefined }) {
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

function UnverifiedOutcome({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const [holder] = lock.holders;
  const lockText = useMessages(lockWords);
  const who =
    holder === undefined ? messages.theOwner : <SafeText text={formatHolder(holder, lockText)} wrap />;
  return (
    <OutcomeNote tone="warn" title={messages.unverified} trigger="request">
      <p>{messages.unverifiedText(who)}</p>
    </OutcomeNote>
  );
}

interface AlreadyGoneOutcomeProps {
  ended: LockEvent | undefined;
  trigger: "request" | "change";
  children?: ReactNode;
}

function AlreadyGoneOutcome({ ended, trigger, children }: AlreadyGoneOutcomeProps) {
  const eventMessages = useMessages(events);
  const messages = useMessages(english);
  return (
    <OutcomeNote tone="ok" title={messages.alreadyGone} trigger={trigger}>
      <p>
        {ended === undefined
          ? messages.goneUnknown
          : messages.goneKnown(formatHoldEnding(ended, eventMessages), <ElapsedText at={ended.at} />)}
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
