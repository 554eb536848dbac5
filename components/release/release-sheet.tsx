"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Greyed } from "@/components/app/stale-overlay.tsx";
import { TargetBadges } from "@/components/app/target-badges.tsx";
import { hrefAt } from "@/components/app/target-link.tsx";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { hrefOf, pathOf } from "@/components/lock-facts/lock-path.ts";
import { holdOffOf, nameText } from "@/components/lock-facts/lock-texts.ts";
import { NoteText } from "@/components/lock-facts/note-text.tsx";
import { RunbookLink } from "@/components/lock-facts/runbook-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import { shortText, visibleText } from "@/components/ui/visible-text.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useLive } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { ConfirmName, ReasonField } from "../ui/reason-field.tsx";
import { FormatChoice } from "./format-choice.tsx";
import { FreeFacts, Question } from "./hold-facts.tsx";
import { HolderAlive } from "./holder-liveness.tsx";
import { WhatFollows } from "./release-consequences.tsx";
import { FreeOptions } from "./release-options.tsx";
import { FreeOutcome } from "./release-outcome.tsx";
import { type Free, useFree } from "./use-release.ts";

interface FreeSheetProps {
  /** As it stood where the operator clicked. */
  lock: Lock;
  /** One of its holders, to be freed alone. */
  holder?: Holder | undefined;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

/** What it is, whether its holder lives, what follows; then what can be done, the mildest first. */
export function FreeSheet({ lock, holder, onClose, finalFocus }: FreeSheetProps) {
  const uiWords = useWords(ui);
  const free = useFree({ lock, holder });
  const { state, drift, choice } = free;
  const { step, seen } = state;
  const { ending } = useKeyEvents(pathOf(lock));
  const isArmed =
    drift === "same" && (step.at === "choosing" || step.at === "sending" || step.at === "unknown");
  const isUnsure = step.at === "unsure" && drift === "same";
  const [typed, setTyped] = useState("");
  const blocked = useBlocked(free, typed);
  const place = useRef<HTMLDivElement>(null);
  const firstWay = () => place.current?.querySelector<HTMLElement>("input[name=how]:checked") ?? null;
  useFocusAfterLook(seen.version, firstWay);
  const router = useRouter();
  const target = useTargetName();
  const submit = () => {
    if (blocked !== null || !isArmed || step.at === "sending") return;
    if (choice !== "lapse") return free.release("refuse");
    onClose();
    router.push(hrefAt(hrefOf(seen), target));
  };
  return (
    <Sheet
      title={<Title lock={seen} />}
      sends="button"
      onSubmit={submit}
      onClose={onClose}
      finalFocus={finalFocus}
      initialFocus={firstWay}
      closeLabel={isArmed || isUnsure ? uiWords.cancel : uiWords.close}
      note={<FootNote free={free} isArmed={isArmed || isUnsure} />}
      actions={
        <>
          {isArmed && <MainButton free={free} blocked={blocked} />}
          {isUnsure && <UnsureButton free={free} />}
        </>
      }
    >
      <div ref={place} className="flex flex-col gap-4">
        {free.blocked !== null && choice !== null && step.at !== "done" && (
          <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
            {free.blocked}
          </p>
        )}
        <FreeOutcome free={free} ended={ending} onClose={onClose} />
        {step.at !== "done" && <RunbookLink url={seen.runbook} />}
        {step.at !== "done" && <Answers free={free} isCurrent={drift === "same" && step.at !== "refused"} />}
        {isArmed && <FormatChoice free={free} />}
        {isArmed && <FreeOptions free={free} />}
        {isArmed && choice !== "lapse" && <Why free={free} typed={typed} onType={setTyped} />}
      </div>
    </Sheet>
  );
}

/** After a look at another hold everything is decided anew, from its first way on. */
function useFocusAfterLook(version: string | null, firstWay: () => HTMLElement | null) {
  const opened = useRef(version);
  useEffect(() => {
    if (opened.current === version) return;
    opened.current = version;
    firstWay()?.focus();
  });
}

/** Why the main button does nothing now. */
function useBlocked(free: Free, typed: string): string | null {
  const words = useWords(english);
  if (free.blocked !== null || free.choice === "lapse") return free.blocked;
  return free.confirm !== undefined && typed !== free.confirm ? words.typeName : null;
}

function Title({ lock }: { lock: Lock }) {
  const words = useWords(english);
  const target = useLive().hello?.target;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
      <span>
        {words.title(
          <span dir="ltr" title={visibleText(lock.key)} className="font-mono text-base break-all">
            <SafeText text={lock.key} wrap />
          </span>,
        )}
      </span>
      {target !== undefined && <TargetBadges target={target} />}
    </span>
  );
}

/** What is freed, whether its holder lives, and what follows. */
function Answers({ free, isCurrent }: { free: Free; isCurrent: boolean }) {
  const words = useWords(english);
  const { shown, state } = free;
  return (
    <Greyed className={isCurrent ? "flex flex-col gap-4" : "flex flex-col gap-4 greyed"}>
      {shown.note !== undefined && <NoteText note={shown.note} />}
      <Question title={isCurrent ? words.asSeen : words.asOpened}>
        <FreeFacts lock={shown} only={state.holder} />
      </Question>
      {isCurrent && (
        <>
          <Question title={words.alive}>
            <HolderAlive lock={shown} />
          </Question>
          <Question title={words.follows}>
            <WhatFollows free={free} />
          </Question>
        </>
      )}
    </Greyed>
  );
}

interface WhyProps {
  free: Free;
  typed: string;
  onType(typed: string): void;
}

function Why({ free, typed, onType }: WhyProps) {
  const words = useWords(english);
  const { step, reason } = free.state;
  const error = step.at === "choosing" ? step.error : undefined;
  const said = { say_why: words.sayWhy, name_format: words.nameFormat };
  useEffect(() => {
    // On a phone what is missing is out of sight.
    if (error === "say_why") document.getElementById("reason")?.focus();
  }, [error]);
  return (
    <>
      <ReasonField
        reason={reason}
        onReason={free.setReason}
        isOptional={!free.needsReason}
        error={typeof error === "string" ? said[error] : error && <ProblemText problem={error} />}
      />
      {free.confirm !== undefined && (
        <ConfirmName label={words.production(free.confirm)} typed={typed} onType={onType} />
      )}
    </>
  );
}

function FootNote({ free, isArmed }: { free: Free; isArmed: boolean }) {
  const words = useWords(english);
  const { hello } = useLive();
  if (!isArmed || free.choice === "lapse" || hello === null) return null;
  return <>{words.recorded(hello.operator.name)}</>;
}

function MainButton({ free, blocked }: { free: Free; blocked: string | null }) {
  const words = useWords(english);
  const uiWords = useWords(ui);
  const { choice } = free;
  if (choice === "lapse") {
    return (
      <Button type="submit" look="primary" blocked={blocked} title={words.sends}>
        {words.watchLapse}
      </Button>
    );
  }
  const isSending = free.state.step.at === "sending";
  return (
    <Button type="submit" look="danger" blocked={isSending ? uiWords.waiting : blocked} title={words.sends}>
      {isSending ? words.isReleasing : choice === "hold-off" ? words.releaseHoldOff : words.release}
    </Button>
  );
}

/** The second, explicit step. It says whose hold goes, whichever hold that is. */
function UnsureButton({ free }: { free: Free }) {
  const lockText = useWords(lockWords);
  const words = useWords(english);
  const { step, choice } = free.state;
  if (step.at !== "unsure") return null;
  const [holder] = step.lock.holders;
  const who = holder === undefined ? words.itsOwner : shortText(nameText(holder, lockText));
  const isHoldOff = holder !== undefined && holdOffOf(holder.owner) !== null;
  const say = isHoldOff ? words.releaseThe : words.releaseWhatever;
  return (
    <Button look="danger" blocked={free.blocked} onClick={() => free.release("release")}>
      {say(who, choice === "hold-off")}
    </Button>
  );
}
