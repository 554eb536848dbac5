"use client";

import clsx from "clsx";
import { type ReactNode, useId } from "react";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { releaseRequest } from "@/lib/i18n/en/release-request.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { SECTION_HEADING_CLASS } from "./hold-facts.tsx";
import type { MethodObstacle, ReleaseMethod } from "./release-methods.ts";
import type { ReleaseForm } from "./use-release.ts";

/** Returns the selected option, or the first available option if none is selected; `null` if no option is available. */
export function findFocusedOption(form: ParentNode | null): HTMLElement | null {
  return (
    form?.querySelector<HTMLElement>("input[name=method]:checked") ??
    form?.querySelector<HTMLElement>("input[name=method]:not([aria-disabled=true])") ??
    null
  );
}

interface ReleaseOptionProps {
  value: ReleaseMethod;
  name: string;
  /** Why the option is unavailable; `null` if it is available. */
  unavailable: string | null;
  isChosen: boolean;
  onChoose(method: ReleaseMethod): void;
  children: ReactNode;
}

function ReleaseOption({ value, name, unavailable, isChosen, onChoose, children }: ReleaseOptionProps) {
  const hintId = useId();
  const isAvailable = unavailable === null;
  return (
    <label
      className={clsx(
        "grid grid-cols-[18px_minmax(0,1fr)] gap-2 rounded-[9px] border px-3 py-1.5",
        isChosen ? "border-accent bg-accent-bg" : "border-line",
        isAvailable ? "cursor-pointer" : "cursor-not-allowed text-ink-3",
        isAvailable && !isChosen && "hover:bg-bg",
      )}
    >
      <input
        type="radio"
        name="method"
        value={value}
        checked={isChosen}
        // Not `disabled`: a disabled input would lose the focus, and keyboard users could not reach the reason.
        aria-disabled={!isAvailable || undefined}
        aria-label={name}
        aria-describedby={hintId}
        onChange={() => isAvailable && onChoose(value)}
        // The focus ring surrounds the radio button only. Around the whole option, the ring would look like a
        // selection.
        className="mt-0.5 size-[13px] rounded-full accent-accent outline-offset-2 outline-accent focus-visible:outline-2"
      />
      <span>
        {name}
        <small id={hintId} className={clsx("block text-2xs", isAvailable && "text-ink-2")}>
          {unavailable ?? children}
        </small>
      </span>
    </label>
  );
}

function isReservation({ holders: [holder] }: Lock): boolean {
  return holder !== undefined && parseReservedHold(holder.owner) !== null;
}

/**
 * Lists the release methods, always in the same order. An unavailable method remains in the list and shows the reason.
 */
export function ReleaseOptions({ form }: { form: ReleaseForm }) {
  const messages = useMessages(english);
  const request = useMessages(releaseRequest);
  const kinds = useMessages(lockKinds);
  const { shown, methods, choice, choose, state } = form;
  const left = <RemainingTime lock={shown} />;
  const hints: Record<ReleaseMethod, ReactNode> = {
    ...messages.hints,
    ...(shown.kind === "latch" ? { release: kinds.openHint } : {}),
    ask: request.hint,
    wait: isReservation(shown) ? messages.reservationWaitHint(left) : messages.waitHint(left),
  };
  const names: Record<ReleaseMethod, string> = {
    ...messages.methods,
    ...(shown.kind === "latch" ? { release: kinds.submit.latch } : {}),
    ask: request.method,
  };
  const reasons: Record<MethodObstacle, string> = { ...messages.why, ...request.why };
  const isCleared = state.choice.is === "cleared";
  const isLost = state.choice.is === "chosen" && choice === null;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className={`${SECTION_HEADING_CLASS} pb-1.5`}>{messages.how}</legend>
      <p role="status" className="text-warn empty:hidden">
        {isCleared && messages.cleared}
        {isLost && messages.unavailable}
      </p>
      {[...methods].map(([method, obstacle]) => (
        <ReleaseOption
          key={method}
          value={method}
          name={names[method]}
          unavailable={obstacle === null ? null : reasons[obstacle]}
          isChosen={method === choice}
          onChoose={choose}
        >
          {hints[method]}
        </ReleaseOption>
      ))}
    </fieldset>
  );
}
