"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useRouter } from "next/navigation";
import type { FormEvent } from "react";
import { useKeyEvents } from "@/components/events/use-key-events.ts";
import { holdOffOf, hrefOf, nameText, pathOf } from "@/components/lock/lock-facts.ts";
import { NoteText } from "@/components/lock/note-text.tsx";
import { hrefAt } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { shortText, visibleText } from "@/components/ui/visible-text.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/live/targets.ts";
import { FormatChoice } from "./format-choice.tsx";
import { FreeFacts } from "./free-facts.tsx";
import { FreeOptions, ReasonField } from "./free-options.tsx";
import { FreeOutcome } from "./free-outcome.tsx";
import type { Looked } from "./free-state.ts";
import { type Free, useFree } from "./use-free.ts";

interface FreeSheetProps {
  /** As it stood where the operator clicked. */
  lock: Lock;
  /** One of its holders, to be freed alone. */
  holder?: Holder | undefined;
  onClose(): void;
  finalFocus(): HTMLElement | null;
}

export function FreeSheet({ lock, holder, onClose, finalFocus }: FreeSheetProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-overlay sm:top-12" />
        <Dialog.Popup
          finalFocus={finalFocus}
          className="fixed inset-y-0 right-0 z-40 flex w-[468px] max-w-full flex-col border-l border-line bg-panel shadow-sheet sm:top-12"
        >
          <SheetBody lock={lock} holder={holder} onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SheetBody({ lock, holder, onClose }: Looked & { onClose(): void }) {
  const free = useFree({ lock, holder });
  const { state, current, drift, blocked } = free;
  const { step, seen } = state;
  const { ending } = useKeyEvents(pathOf(lock));
  const armed =
    drift === "same" && (step.at === "choosing" || step.at === "sending" || step.at === "unknown");
  // Renewals belong to the hold that was seen: the countdown follows them.
  const shown = drift === "same" && current !== undefined && current.asOf > seen.asOf ? current : seen;
  const router = useRouter();
  const target = useTargetName();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked !== null || !armed) return;
    if (state.choice !== "lapse") return free.release("refuse");
    onClose();
    router.push(hrefAt(hrefOf(seen), target));
  };
  return (
    <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-3.5 overflow-y-auto px-5.5 pt-5 pb-3">
        <Dialog.Title className="text-lg font-semibold tracking-tight break-words">
          Free{" "}
          <span dir="ltr" title={visibleText(seen.key)} className="font-mono text-base break-all">
            <SafeText text={seen.key} wrap />
          </span>
        </Dialog.Title>
        {blocked !== null && step.at !== "done" && (
          <p role="alert" className="rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
            {blocked}
          </p>
        )}
        <FreeOutcome free={free} ended={ending} />
        {step.at !== "done" && shown.note !== undefined && <NoteText note={shown.note} />}
        {step.at !== "done" && <FreeFacts lock={shown} only={state.holder} />}
        {armed && <FormatChoice free={free} />}
        {armed && (
          <FreeOptions lock={shown} only={state.holder} choice={state.choice} onChoose={free.choose} />
        )}
        {armed && state.choice !== "lapse" && <Reason free={free} />}
      </div>
      <SheetFoot free={free} armed={armed} />
    </form>
  );
}

function Reason({ free }: { free: Free }) {
  const { step, reason } = free.state;
  return (
    <ReasonField
      reason={reason}
      onReason={free.setReason}
      error={step.at === "choosing" ? step.error : undefined}
    />
  );
}

function SheetFoot({ free, armed }: { free: Free; armed: boolean }) {
  const { hello } = useLive();
  const { step, choice } = free.state;
  const unsure = step.at === "unsure" && free.drift === "same";
  const releases = unsure || (armed && choice !== "lapse");
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5.5 py-3">
      <p className="min-w-32 flex-1 text-2xs text-ink-3">
        {releases && hello !== null && <>Will be recorded as {hello.operator.name}, with the reason</>}
      </p>
      <Dialog.Close render={<Button>{armed || unsure ? "Cancel" : "Close"}</Button>} />
      {armed && <MainButton free={free} />}
      {unsure && <UnsureButton free={free} />}
    </div>
  );
}

const RELEASE = { release: "Release now", "hold-off": "Release and hold off" };

function MainButton({ free }: { free: Free }) {
  const { choice, step } = free.state;
  if (choice === "lapse") {
    return (
      <Button type="submit" look="primary" blocked={free.blocked}>
        Watch it lapse
      </Button>
    );
  }
  return (
    <Button
      type="submit"
      look="danger"
      blocked={step.at === "sending" ? "Waiting for the answer" : free.blocked}
    >
      {step.at === "sending" ? "Releasing…" : RELEASE[choice]}
    </Button>
  );
}

/** The second, explicit step. It says whose hold goes, whichever hold that is. */
function UnsureButton({ free }: { free: Free }) {
  const { step, choice } = free.state;
  if (step.at !== "unsure") return null;
  const [holder] = step.lock.holders;
  const who = holder === undefined ? "its owner" : shortText(nameText(holder));
  return (
    <Button look="danger" blocked={free.blocked} onClick={() => free.release("release")}>
      {holder !== undefined && holdOffOf(holder.owner) !== null
        ? `Release ${who}`
        : `Release whatever ${who} holds now`}
      {choice === "hold-off" && ", and hold off"}
    </Button>
  );
}
