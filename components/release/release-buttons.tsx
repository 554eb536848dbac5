"use client";

import { formatHolder, parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { shortenText } from "@/components/ui/visible-text.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { getReleasePart } from "./release-state.ts";
import type { ReleaseForm } from "./use-release.ts";

/**
 * Returns why the form cannot be submitted; `null` if it can be. Does not check the reason or whether a request is in
 * progress.
 */
export function useSubmitObstacle({ blocked, choice, confirm, state }: ReleaseForm): string | null {
  const messages = useMessages(english);
  if (blocked !== null) return blocked;
  if (choice === null) return messages.chooseHint;
  if (choice === "wait" || confirm === undefined) return null;
  return state.confirmation.trim() === confirm ? null : messages.typeName(confirm);
}

/**
 * Renders the submit button of the release dialog. Until a method is chosen, its label asks the operator to choose one.
 */
export function SubmitButton({ form, obstacle }: { form: ReleaseForm; obstacle: string | null }) {
  const messages = useMessages(english);
  const uiMessages = useMessages(ui);
  const request = useMessages(releaseRequest);
  const kinds = useMessages(lockKinds);
  const { choice, state } = form;
  if (choice === null) {
    return (
      <Button type="submit" blocked={obstacle}>
        {messages.chooseAction}
      </Button>
    );
  }
  const isSending = state.step.at === "sending";
  if (choice === "wait" || choice === "ask") {
    return (
      <Button
        type="submit"
        variant="primary"
        blocked={isSending ? uiMessages.waiting : obstacle}
        title={messages.submitShortcut}
      >
        {choice === "wait" ? messages.keepWatching : isSending ? request.isSending : request.submit}
      </Button>
    );
  }
  const part = getReleasePart({ lock: state.seen, holder: state.holder });
  const label =
    choice === "reserve"
      ? messages.releaseReservation
      : part === "lock"
        ? messages.releaseLock
        : kinds.submit[part];
  return (
    <Button
      type="submit"
      variant="danger"
      blocked={isSending ? uiMessages.waiting : obstacle}
      title={messages.submitShortcut}
    >
      {isSending ? messages.isReleasing : label}
    </Button>
  );
}

/**
 * Renders the button that confirms the release after Lockkeeper could not verify the hold. Renders nothing in any other
 * step. The label names the owner of the hold to be released, if known.
 */
export function ReleaseAnywayButton({ form }: { form: ReleaseForm }) {
  const lockText = useMessages(lockWords);
  const messages = useMessages(english);
  const { state, choice } = form;
  const { step } = state;
  if (step.at !== "unverified") return null;
  // If the lock has several holders, the operator reviewed only one, and only that hold is released.
  const holder = state.holder ?? step.lock.holders[0];
  const who = holder === undefined ? messages.theOwner : shortenText(formatHolder(holder, lockText));
  const isReservation = holder !== undefined && parseReservedHold(holder.owner) !== null;
  const label = isReservation ? messages.releaseHolder : messages.releaseCurrent;
  return (
    <Button variant="danger" blocked={form.blocked} onClick={() => form.release("release")}>
      {label(who, choice === "reserve")}
    </Button>
  );
}
