"use client";

import type { ReactNode } from "react";
import { endingText } from "@/components/events/event-text.ts";
import { formatsOf } from "@/components/lock/format-facts.ts";
import { HolderName } from "@/components/lock/holder-text.tsx";
import { holdOffOf, holdOffText, nameText } from "@/components/lock/lock-facts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatAgo, formatClock } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import { FORMAT_FACTS } from "@/lib/contract/format-facts.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import type { Free } from "./use-free.ts";

function Note({
  tone,
  title,
  children,
}: {
  tone: "warn" | "ok" | "bad";
  title: ReactNode;
  children?: ReactNode;
}) {
  const colours = { warn: "bg-warn-bg", bad: "bg-bad-bg", ok: "bg-line-soft" }[tone];
  const ink = { warn: "text-warn", bad: "text-bad", ok: "text-ink" }[tone];
  return (
    <div
      role="alert"
      data-testid="outcome"
      className={`flex flex-col items-start gap-2 rounded-[9px] px-3 py-2.5 ${colours}`}
    >
      <p className={`font-semibold ${ink}`}>{title}</p>
      {children}
    </div>
  );
}

function Ago({ at }: { at: number }) {
  const now = useServerNow();
  return <>{formatAgo(now === null ? 0 : now - at)}</>;
}

function HeldNow({ lock }: { lock: Lock | undefined }) {
  const [holder] = lock?.holders ?? [];
  if (holder === undefined) return <>It is free now.</>;
  return (
    <>
      Now {holdOffOf(holder.owner) === null && "held by "}
      <HolderName holder={holder} wrap />.
    </>
  );
}

/** What became of it; null while there is nothing to tell. */
export function FreeOutcome({ free, ended }: { free: Free; ended: LockEvent | undefined }) {
  const { state, current, drift, look } = free;
  const { step } = state;
  if (step.at === "done")
    return <Done step={step} current={current} wantsHoldOff={state.choice === "hold-off"} />;
  if (step.at === "refused") {
    return (
      <Note tone="warn" title="Changed: nothing was released.">
        <p>
          <HeldNow lock={step.lock} />
        </p>
        <LookAgain lock={newer(step.lock, current)} onLook={look} />
      </Note>
    );
  }
  if (step.at === "unknown" && drift === "same") {
    return (
      <Note tone="bad" title="No answer: it may or may not have been released.">
        <p>{step.why} What you see here goes on being live; asking again frees this hold only.</p>
      </Note>
    );
  }
  if (step.at === "unsure" && drift === "same") return <Unsure lock={step.lock} />;
  if (step.at === "sending" || drift === "same") return null;
  if (drift === "gone") return <Gone ended={ended} />;
  return (
    <Note tone="warn" title="The hold changed while you looked.">
      <p>
        <HeldNow lock={current} /> What stands below is the hold you opened; nothing can be sent for it any
        more.
      </p>
      <LookAgain lock={current} onLook={look} />
    </Note>
  );
}

function newer(a: Lock | undefined, b: Lock | undefined): Lock | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.asOf > a.asOf ? b : a;
}

function LookAgain({ lock, onLook }: { lock: Lock | undefined; onLook(lock: Lock): void }) {
  if (lock === undefined || lock.holders.length === 0) return null;
  return <Button onClick={() => onLook(lock)}>Look at the hold there is now</Button>;
}

function Unsure({ lock }: { lock: Lock }) {
  const [holder] = lock.holders;
  return (
    <Note tone="warn" title="Unsure: nothing was released.">
      <p>
        This Redis could not be watched all the time, so it cannot be told whether{" "}
        {holder === undefined ? "its owner" : <SafeText text={nameText(holder)} wrap />} still has the hold
        you saw or has taken the lock anew since.
      </p>
    </Note>
  );
}

function Gone({ ended, children }: { ended: LockEvent | undefined; children?: ReactNode }) {
  return (
    <Note tone="ok" title="Already gone.">
      <p>
        {ended === undefined ? (
          "The hold you looked at has ended; nobody holds the lock."
        ) : (
          <>
            The lock is free: {endingText(ended)} <Ago at={ended.at} />.
          </>
        )}
        {children}
      </p>
    </Note>
  );
}

type Done = Extract<Free["state"]["step"], { at: "done" }>;

interface DoneProps {
  step: Done;
  current: Lock | undefined;
  wantsHoldOff: boolean;
}

function Done({ step, current, wantsHoldOff }: DoneProps) {
  const { outcome, owner, ended, heldOff, masters, asOf } = step.result;
  if (outcome === "already_gone")
    return <Gone ended={ended}>{wantsHoldOff && " Nothing was held off: whoever asks gets it."}</Gone>;
  const isBack =
    current !== undefined && current.asOf > asOf && current.holders.some((holder) => holder.owner === owner);
  if (isBack) return <Back lock={current} />;
  return (
    <Note tone="ok" title={heldOff === undefined ? "Released." : "Released and held off."}>
      <p>
        {owner === undefined ? "The hold is gone." : <HoldIsGone owner={owner} />}{" "}
        {heldOff === undefined
          ? "Whoever waits was woken."
          : `Nobody gets the lock until ${formatClock(asOf + heldOff.holdOffMs)}, unless you free it before.`}
      </p>
      {masters !== undefined && <p>{freedAtText(masters)}</p>}
    </Note>
  );
}

function freedAtText(masters: NonNullable<Done["result"]["masters"]>): string {
  const silent = masters.filter(({ outcome }) => outcome === "away" || outcome === "unknown");
  const freed = `Freed at ${masters.filter(({ outcome }) => outcome === "released").length} of ${masters.length} masters.`;
  if (silent.length === 0) return freed;
  const names = silent.map(({ name }) => name).join(", ");
  return `${freed} ${names} did not answer: what is left there is no hold any more, and ends with its lease.`;
}

/** The release was carried out, and did not last. */
function Back({ lock }: { lock: Lock }) {
  return (
    <Note tone="warn" title="Released, and the same owner has it again.">
      {formatsOf(lock).map((format) => (
        <p key={format}>{FORMAT_FACTS[format].comesBack ?? "It took the lock anew."}</p>
      ))}
    </Note>
  );
}

function HoldIsGone({ owner }: { owner: string }) {
  const holdOff = holdOffOf(owner);
  if (holdOff !== null) {
    return (
      <>
        The <SafeText text={holdOffText(holdOff)} wrap /> is gone.
      </>
    );
  }
  return (
    <>
      The hold of{" "}
      <span className="font-mono text-xs break-all">
        <SafeText text={owner} wrap />
      </span>{" "}
      is gone.
    </>
  );
}
