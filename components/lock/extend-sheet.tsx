"use client";

import { useState } from "react";
import { ReasonField } from "@/components/free/reason-field.tsx";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatElapsed } from "@/components/ui/duration.ts";
import { Field, INPUT } from "@/components/ui/field.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Sheet } from "@/components/ui/sheet.tsx";
import type { Extended } from "@/lib/contract/extend.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { useExtend } from "@/lib/live/lock-actions.ts";
import { ApiProblem } from "@/lib/live/request.ts";
import { formatLabel } from "./format-facts.ts";
import type { ActionSheetProps } from "./lock-actions.tsx";
import { nameText, pathOf } from "./lock-facts.ts";
import { Remaining } from "./lock-times.tsx";

const MINUTE_MS = 60_000;
const TIMES = [5, 15, 60, 240].map((minutes) => ({ minutes, ms: minutes * MINUTE_MS }));

/** More time for the hold that was seen. The opposite of freeing it, so nothing has to be typed. */
export function ExtendSheet({ lock, onClose, finalFocus }: ActionSheetProps) {
  const live = useLive();
  const extend = useExtend(pathOf(lock));
  const [leaseMs, setLeaseMs] = useState(15 * MINUTE_MS);
  const [reason, setReason] = useState("");
  const [format, setFormat] = useState<FormatName | null>(null);
  const formats = lock.release?.may === "with_format" ? lock.release.formats : [];
  const [holder] = lock.holders;
  const blocked =
    useFreeBlock() ??
    (extend.isPending ? "Waiting for the answer" : null) ??
    (formats.length > 0 && format === null ? "Name its format." : null) ??
    (reason.trim() === "" ? "Say why." : null);
  const isUnsure = extend.error instanceof ApiProblem && extend.error.code === "unsure";
  const send = () => {
    if (blocked !== null || lock.version === null) return;
    const named = format === null ? {} : { format };
    const ifUnsure = isUnsure ? "extend" : "refuse";
    extend.mutate({ expect: lock.version, leaseMs, reason: reason.trim(), ifUnsure, ...named });
  };
  if (extend.data !== undefined) {
    return (
      <Sheet title="More time" closeLabel="Close" onClose={onClose} finalFocus={finalFocus}>
        <Outcome extended={extend.data} />
      </Sheet>
    );
  }
  return (
    <Sheet
      title="More time"
      onClose={onClose}
      finalFocus={finalFocus}
      onSubmit={send}
      note={live.hello !== null && `Will be recorded as ${live.hello.operator.name}, with the reason`}
      actions={
        <Button type="submit" look="primary" blocked={blocked}>
          {isUnsure ? "Whatever it holds now" : "Give it the time"}
        </Button>
      }
    >
      <ProblemNote problem={extend.error} />
      <p className="text-ink-2">
        {holder !== undefined && <SafeText text={nameText(holder)} wrap />} has <Remaining lock={lock} />{" "}
        left. It gets at least as much as is chosen here, and never less than it has; the holder itself is not
        told.
      </p>
      <Field label="From now on it has">
        {(field) => (
          <select
            {...field}
            className={INPUT}
            value={leaseMs}
            onChange={(event) => setLeaseMs(Number(event.target.value))}
          >
            {TIMES.map(({ minutes, ms }) => (
              <option key={ms} value={ms}>
                {minutes < 60 ? `${minutes} minutes` : minutes === 60 ? "1 hour" : `${minutes / 60} hours`}
              </option>
            ))}
          </select>
        )}
      </Field>
      {formats.length > 0 && (
        <Field label="Its format">
          {(field) => (
            <select
              {...field}
              className={INPUT}
              value={format ?? ""}
              onChange={({ target: { value } }) => setFormat(formats.find((each) => each === value) ?? null)}
            >
              <option value="">Its shape alone does not tell…</option>
              {formats.map((each) => (
                <option key={each} value={each}>
                  {formatLabel(each)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <ReasonField reason={reason} onReason={setReason} error={undefined} />
    </Sheet>
  );
}

const LASTS: Record<Extended["lasts"], string> = {
  to_its_end: "Nobody shortens it.",
  until_renewed: "Its library renews, and sets its own time then, which may be shorter.",
  unknown: "Its library may set its own time at its next renewal.",
};

function Outcome({ extended: { outcome, remainingMs, lasts, owner } }: { extended: Extended }) {
  const has = remainingMs === null ? "no expiry" : `${formatElapsed(remainingMs)} left`;
  return (
    <div
      role="status"
      data-testid="outcome"
      className="flex flex-col gap-1 rounded-[9px] bg-line-soft px-3 py-2.5"
    >
      <p className="font-semibold">
        {outcome === "extended" ? `It has ${has} now.` : `It has ${has} already: nothing was done.`}
      </p>
      <p>
        The hold of{" "}
        <span className="font-mono text-xs">
          <SafeText text={owner} wrap />
        </span>
        . {LASTS[lasts]}
      </p>
    </div>
  );
}
