"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { TargetBadges } from "@/components/app/target-badges.tsx";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import { formatHolder, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { NoteText } from "@/components/lock-facts/note-text.tsx";
import { RunbookLink } from "@/components/lock-facts/runbook-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import { shortenText, toVisibleText } from "@/components/ui/visible-text.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { ConfirmNameField, ReasonField } from "../ui/reason-field.tsx";
import { LockFormatPicker } from "./format-choice.tsx";
import { FactHeading, HoldFacts } from "./hold-facts.tsx";
import { HolderLiveness } from "./holder-liveness.tsx";
import { ReleaseConsequences } from "./release-consequences.tsx";
import { ReleaseOptions } from "./release-options.tsx";
import { ReleaseOutcome } from "./release-outcome.tsx";
import { type ReleaseForm, useRelease } from "./use-release.ts";

interface ReleaseSheetProps {
  /** As it stood where the operator clicked. */
  lock: Lock;
  /** One of its holders, to be freed alone. */
  holder?: Holder | undefined;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

/** What it is, whether its holder lives, what follows; then what can be done, the mildest first. */
export function ReleaseSheet({ lock, holder, onClose, finalFocus }: ReleaseSheetProps) {
  const uiMessages = useMessages(ui);
  const free = useRelease({ lock, holder });
  const { state, drift, choice } = free;
  const { step, seen } = state;
  const { ending } = useKeyEvents(toLockPath(lock));
  const isArmed =
    drift === "same" && (step.at === "choosing" || step.at === "sending" || step.at === "unknown");
  const isUnverified = step.at === "unverified" && drift === "same";
  const [typed, setTyped] = useState("");
  const blocked = useSubmitBlockedReason(free, typed);
  const place = useRef<HTMLDivElement>(null);
  const firstWay = () => place.current?.querySelector<HTMLElement>("input[name=how]:checked") ?? null;
  useFocusAfterReview(seen.version, firstWay);
  const router = useRouter();
  const target = useTargetName();
  const submit = () => {
    if (blocked !== null || !isArmed || step.at === "sending") return;
    if (choice !== "lapse") return free.release("refuse");
    onClose();
    router.push(buildTargetHref(buildLockHref(seen), target));
  };
  return (
    <Sheet
      title={<ReleaseTitle lock={seen} />}
      sends="button"
      onSubmit={submit}
      onClose={onClose}
      finalFocus={finalFocus}
      initialFocus={firstWay}
      closeLabel={isArmed || isUnverified ? uiMessages.cancel : uiMessages.close}
      note={<SheetFooterNote free={free} isArmed={isArmed || isUnverified} />}
      actions={
        <>
          {isArmed && <SubmitButton free={free} blocked={blocked} />}
          {isUnverified && <ReleaseAnywayButton free={free} />}
        </>
      }
    >
      <div ref={place} className="flex flex-col gap-4">
        {free.blocked !== null && choice !== null && step.at !== "done" && (
          <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
            {free.blocked}
          </p>
        )}
        <ReleaseOutcome release={free} ended={ending} onClose={onClose} />
        {step.at !== "done" && <RunbookLink url={seen.runbook} />}
        {step.at !== "done" && (
          <ReleaseFacts free={free} isCurrent={drift === "same" && step.at !== "refused"} />
        )}
        {isArmed && <LockFormatPicker free={free} />}
        {isArmed && <ReleaseOptions free={free} />}
        {isArmed && choice !== "lapse" && <ReasonSection release={free} typed={typed} onType={setTyped} />}
      </div>
    </Sheet>
  );
}

/** After a look at another hold everything is decided anew, from its first way on. */
function useFocusAfterReview(version: string | null, firstWay: () => HTMLElement | null) {
  const opened = useRef(version);
  useEffect(() => {
    if (opened.current === version) return;
    opened.current = version;
    firstWay()?.focus();
  });
}

/** Why the main button does nothing now. */
function useSubmitBlockedReason(free: ReleaseForm, typed: string): string | null {
  const messages = useMessages(english);
  if (free.blocked !== null || free.choice === "lapse") return free.blocked;
  return free.confirm !== undefined && typed !== free.confirm ? messages.typeName : null;
}

function ReleaseTitle({ lock }: { lock: Lock }) {
  const messages = useMessages(english);
  const target = useLiveState().hello?.target;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
      <span>
        {messages.title(
          <span dir="ltr" title={toVisibleText(lock.key)} className="font-mono text-base break-all">
            <SafeText text={lock.key} wrap />
          </span>,
        )}
      </span>
      {target !== undefined && <TargetBadges target={target} />}
    </span>
  );
}

/** What is freed, whether its holder lives, and what follows. */
function ReleaseFacts({ free, isCurrent }: { free: ReleaseForm; isCurrent: boolean }) {
  const messages = useMessages(english);
  const { shown, state } = free;
  return (
    <StaleOverlay className={isCurrent ? "flex flex-col gap-4" : "flex flex-col gap-4 greyed"}>
      {shown.note !== undefined && <NoteText note={shown.note} />}
      <FactHeading title={isCurrent ? messages.asSeen : messages.asOpened}>
        <HoldFacts lock={shown} only={state.holder} />
      </FactHeading>
      {isCurrent && (
        <>
          <FactHeading title={messages.alive}>
            <HolderLiveness lock={shown} />
          </FactHeading>
          <FactHeading title={messages.follows}>
            <ReleaseConsequences free={free} />
          </FactHeading>
        </>
      )}
    </StaleOverlay>
  );
}

interface ReasonSectionProps {
  release: ReleaseForm;
  typed: string;
  onType(typed: string): void;
}

function ReasonSection({ release, typed, onType }: ReasonSectionProps) {
  const messages = useMessages(english);
  const { step, reason } = release.state;
  const error = step.at === "choosing" ? step.error : undefined;
  const reasonTexts = { say_why: messages.sayWhy, name_format: messages.nameFormat };
  useEffect(() => {
    // On a phone what is missing is out of sight.
    if (error === "say_why") document.getElementById("reason")?.focus();
  }, [error]);
  return (
    <>
      <ReasonField
        reason={reason}
        onReason={release.setReason}
        isOptional={!release.needsReason}
        error={typeof error === "string" ? reasonTexts[error] : error && <ProblemText problem={error} />}
      />
      {release.confirm !== undefined && (
        <ConfirmNameField label={messages.production(release.confirm)} typed={typed} onType={onType} />
      )}
    </>
  );
}

function SheetFooterNote({ free, isArmed }: { free: ReleaseForm; isArmed: boolean }) {
  const messages = useMessages(english);
  const { hello } = useLiveState();
  if (!isArmed || free.choice === "lapse" || hello === null) return null;
  return <>{messages.recorded(hello.operator.name)}</>;
}

function SubmitButton({ free, blocked }: { free: ReleaseForm; blocked: string | null }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const { choice } = free;
  if (choice === "lapse") {
    return (
      <Button type="submit" variant="primary" blocked={blocked} title={messages.sends}>
        {messages.watchLapse}
      </Button>
    );
  }
  const isSending = free.state.step.at === "sending";
  return (
    <Button
      type="submit"
      variant="danger"
      blocked={isSending ? uiMessages.waiting : blocked}
      title={messages.sends}
    >
      {isSending
        ? messages.isReleasing
        : choice === "reserve"
          ? messages.releaseReservation
          : messages.release}
    </Button>
  );
}

/** The second, explicit step. It says whose hold goes, whichever hold that is. */
function ReleaseAnywayButton({ free }: { free: ReleaseForm }) {
  const lockText = useMessages(lockWords);
  const messages = useMessages(english);
  const { step, choice } = free.state;
  if (step.at !== "unverified") return null;
  const [holder] = step.lock.holders;
  const who = holder === undefined ? messages.itsOwner : shortenText(formatHolder(holder, lockText));
  const isReservation = holder !== undefined && parseReservedHold(holder.owner) !== null;
  const label = isReservation ? messages.releaseThe : messages.releaseWhatever;
  return (
    <Button variant="danger" blocked={free.blocked} onClick={() => free.release("release")}>
      {label(who, choice === "reserve")}
    </Button>
  );
}
