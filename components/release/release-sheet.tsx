"use client";

import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useRef } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { TargetBadges } from "@/components/app/target-badges.tsx";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { NoteText } from "@/components/lock-facts/note-text.tsx";
import { RunbookLink } from "@/components/lock-facts/runbook-link.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { focusInSheet, Sheet } from "@/components/ui/overlay/sheet.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { LockFormatPicker } from "./format-choice.tsx";
import { FactSection, HoldFacts } from "./hold-facts.tsx";
import { HolderLiveness } from "./holder-liveness.tsx";
import { ReleaseAnywayButton, SubmitButton, useSubmitObstacle } from "./release-buttons.tsx";
import { ReleaseConsequences } from "./release-consequences.tsx";
import { findFocusedOption, ReleaseOptions } from "./release-options.tsx";
import { ReleaseOutcome } from "./release-outcome.tsx";
import { ReleaseReason } from "./release-reason.tsx";
import { getReleasePart, type ReleaseSubject } from "./release-state.ts";
import { RequestNote } from "./request-note.tsx";
import { type ReleaseForm, useRelease } from "./use-release.ts";

interface ReleaseSheetProps {
  /** The lock as it was when the operator opened the dialog. */
  lock: Lock;
  /** The holder to release if the lock has several holders. */
  holder?: Holder | undefined;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

/**
 * `form`: the operator can choose and send an action. `confirm`: the second, explicit step. `facts`: read-only, because
 * the operator may not release the lock or the lock cannot be released. `over`: the hold changed or ended. `done`: the
 * server has processed the release.
 */
type SheetMode = "form" | "confirm" | "facts" | "over" | "done";

function getSheetMode({ state: { step }, drift, factsOnly }: ReleaseForm): SheetMode {
  if (step.at === "done") return "done";
  if (drift !== "same" || step.at === "refused") return "over";
  if (factsOnly !== null) return "facts";
  return step.at === "unverified" ? "confirm" : "form";
}

/**
 * Renders the release dialog, which shows the hold, its liveness, the consequences of a release and the available
 * methods. After the release, shows the result.
 */
export function ReleaseSheet({ lock, holder, onClose, finalFocus }: ReleaseSheetProps) {
  const uiMessages = useMessages(ui);
  const form = useRelease({ lock, holder });
  const { state, choice } = form;
  const { step, seen } = state;
  const mode = getSheetMode(form);
  const obstacle = useSubmitObstacle(form);
  const place = useRef<HTMLDivElement>(null);
  const findOption = () => findFocusedOption(place.current);
  useFocusAfterReview(seen.version, place);
  const openLockPage = useOpenLockPage(seen, onClose);
  const submit = () => {
    if (mode !== "form" || step.at === "sending") return;
    // No method is selected yet, so the focus moves to the options.
    if (choice === null) findOption()?.focus();
    else if (choice === "wait") openLockPage();
    else if (form.blocked !== null) return;
    else if (choice === "ask") form.ask();
    else form.release("refuse");
  };
  const isOpen = mode === "form" || mode === "confirm";
  return (
    <Sheet
      title={<ReleaseTitle lock={seen} holder={state.holder} />}
      sends="button"
      height={mode === "done" || mode === "facts" ? "content" : "full"}
      onSubmit={submit}
      onClose={onClose}
      finalFocus={finalFocus}
      initialFocus={findOption}
      closeLabel={isOpen && state.request === null ? uiMessages.cancel : uiMessages.close}
      note={isOpen && <AuditNote form={form} />}
      actions={
        <>
          {mode === "form" && <SubmitButton form={form} obstacle={obstacle} />}
          {mode === "confirm" && <ReleaseAnywayButton form={form} />}
        </>
      }
    >
      <div ref={place} className="flex flex-col gap-3.5">
        <BlockedNote form={form} mode={mode} />
        <ReleaseOutcome form={form} onClose={onClose} />
        {mode !== "done" && mode !== "over" && <RequestNote form={form} />}
        {mode !== "done" && <ReleaseFacts form={form} isCurrent={mode !== "over"} />}
        {mode === "form" && (
          <>
            <LockFormatPicker form={form} />
            <ReleaseOptions form={form} />
            {choice !== "wait" && <ReleaseReason form={form} />}
          </>
        )}
      </div>
    </Sheet>
  );
}

function useOpenLockPage(lock: Lock, onClose: () => void): () => void {
  const router = useRouter();
  const target = useTargetName();
  return () => {
    onClose();
    router.push(buildTargetHref(buildLockHref(lock), target));
  };
}

/**
 * Scrolls the dialog to the top when the review of another hold starts. Sets the focus as when the dialog opens: to the
 * option if the option is in view, otherwise to the heading.
 */
function useFocusAfterReview(version: string | null, place: RefObject<HTMLElement | null>) {
  const opened = useRef(version);
  useEffect(() => {
    if (opened.current === version) return;
    opened.current = version;
    focusInSheet(findFocusedOption(place.current));
  });
}

function ReleaseTitle({ lock, holder }: ReleaseSubject) {
  const { title } = useMessages(english);
  const { releaseTitle } = useMessages(lockKinds);
  const target = useLiveState().hello?.target;
  const part = getReleasePart({ lock, holder });
  const permits = holder?.count ?? 1;
  const name = (
    <span dir="ltr" title={toVisibleText(lock.key)} className="font-mono text-base break-all">
      <SafeText text={lock.key} wrap />
    </span>
  );
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
      <span>
        {part === "lock"
          ? title(name)
          : part === "permits"
            ? releaseTitle.permits(permits, formatNumber(permits), name)
            : releaseTitle[part](name)}
      </span>
      {target !== undefined && <TargetBadges target={target} />}
    </span>
  );
}

function BlockedNote({ form: { factsOnly, blocked }, mode }: { form: ReleaseForm; mode: SheetMode }) {
  const reason = factsOnly ?? blocked;
  if (reason === null || mode === "done") return null;
  return (
    <p role="alert" className={factsOnly === null ? ALERT_CLASSES.bad : ALERT_CLASSES.neutral}>
      {reason}
    </p>
  );
}

const ALERT_CLASSES = {
  bad: "rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad",
  neutral: "rounded-[9px] bg-line-soft px-3 py-2.5",
};

/** Shows the hold, its liveness, and the consequences of a release. */
function ReleaseFacts({ form, isCurrent }: { form: ReleaseForm; isCurrent: boolean }) {
  const messages = useMessages(english);
  const { shown, state } = form;
  return (
    <StaleOverlay className={isCurrent ? "flex flex-col gap-3.5" : "flex flex-col gap-3.5 grayed"}>
      <RunbookLink url={shown.runbook} />
      {shown.note !== undefined && <NoteText note={shown.note} />}
      <FactSection title={isCurrent ? messages.hold : messages.openedHold} isTitleHidden={isCurrent}>
        <HoldFacts lock={shown} only={state.holder} endedAt={isCurrent ? null : state.endedAt} />
      </FactSection>
      {isCurrent && (
        <>
          {shown.kind !== "latch" && (
            <FactSection title={messages.alive} isTitleHidden>
              <HolderLiveness lock={shown} />
            </FactSection>
          )}
          <FactSection title={messages.consequences}>
            <ReleaseConsequences form={form} />
          </FactSection>
        </>
      )}
    </StaleOverlay>
  );
}

function AuditNote({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const { hello } = useLiveState();
  if (form.choice === "wait" || hello === null) return null;
  return <>{messages.recorded(hello.operator.name)}</>;
}
