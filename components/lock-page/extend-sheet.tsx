"use client";

import { useState } from "react";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { formatElapsed } from "@/components/ui/format-duration.ts";
import { Sheet } from "@/components/ui/overlay/sheet.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { ReasonField } from "@/components/ui/reason-field.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { ApiProblem } from "@/lib/api/request.ts";
import type { Extended } from "@/lib/contract/actions/extend.ts";
import type { FormatName } from "@/lib/contract/format.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useExtendLease } from "@/lib/queries/lock-actions.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { formatHolder } from "../lock-facts/lock-texts.ts";
import { RemainingTime } from "../lock-facts/lock-times.tsx";
import { getFormatLabel } from "../lock-facts/use-format-texts.ts";
import type { ActionSheetProps } from "./action-sheet-props.ts";

const MINUTE_MS = 60_000;
const EXTENSION_PRESETS_MS = [5, 15, 60, 240].map((minutes) => ({ minutes, ms: minutes * MINUTE_MS }));

/**
 * The dialog that extends the lease of the hold that the operator saw. Requires no typed confirmation, because an
 * extension interrupts no client.
 */
export function ExtendSheet({ lock, onClose, finalFocus }: ActionSheetProps) {
  const all = useMessages(lockParts);
  const messages = all.extend;
  const shared = useMessages(lockWords);
  const close = useMessages(ui).close;
  const live = useLiveState();
  const extend = useExtendLease(toLockPath(lock));
  const [leaseMs, setLeaseMs] = useState(15 * MINUTE_MS);
  const [reason, setReason] = useState("");
  const [format, setFormat] = useState<FormatName | null>(null);
  const formats = lock.release?.may === "with_format" ? lock.release.formats : [];
  const [holder] = lock.holders;
  const blocked =
    useReleaseBlockedReason() ??
    (extend.isPending ? all.waitForAnswer : null) ??
    (formats.length > 0 && format === null ? messages.formatRequired : null) ??
    (reason.trim() === "" ? messages.reasonRequired : null);
  const isUnverified = extend.error instanceof ApiProblem && extend.error.code === "unverified";
  const send = () => {
    if (blocked !== null || lock.version === null) return;
    const named = format === null ? {} : { format };
    const onUnverified = isUnverified ? "extend" : "refuse";
    extend.mutate({ expectedVersion: lock.version, leaseMs, reason: reason.trim(), onUnverified, ...named });
  };
  if (extend.data !== undefined) {
    return (
      <Sheet title={messages.title} closeLabel={close} onClose={onClose} finalFocus={finalFocus}>
        <ExtendOutcome extended={extend.data} />
      </Sheet>
    );
  }
  return (
    <Sheet
      title={messages.title}
      onClose={onClose}
      finalFocus={finalFocus}
      onSubmit={send}
      note={live.hello !== null && messages.by(live.hello.operator.name)}
      actions={
        <Button type="submit" variant="primary" blocked={blocked}>
          {isUnverified ? messages.extendAnyway : messages.submit}
        </Button>
      }
    >
      <ProblemNote problem={extend.error} />
      <p className="text-ink-2">
        {messages.explanation(
          holder !== undefined && <SafeText text={formatHolder(holder, shared)} wrap />,
          <RemainingTime lock={lock} />,
        )}
      </p>
      <Field label={messages.label}>
        {(field) => (
          <select
            {...field}
            className={INPUT_CLASS}
            value={leaseMs}
            onChange={(event) => setLeaseMs(Number(event.target.value))}
          >
            {EXTENSION_PRESETS_MS.map(({ minutes, ms }) => (
              <option key={ms} value={ms}>
                {messages.minutes(minutes)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {formats.length > 0 && (
        <Field label={messages.format}>
          {(field) => (
            <select
              {...field}
              className={INPUT_CLASS}
              value={format ?? ""}
              onChange={({ target: { value } }) => setFormat(formats.find((each) => each === value) ?? null)}
            >
              <option value="">{messages.noFormat}</option>
              {formats.map((each) => (
                <option key={each} value={each}>
                  {getFormatLabel(each, shared)}
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

function ExtendOutcome({ extended: { outcome, remainingMs, lasts, owner } }: { extended: Extended }) {
  const messages = useMessages(lockParts).extend;
  const uiMessages = useMessages(ui);
  const has = remainingMs === null ? messages.noTtl : messages.left(formatElapsed(remainingMs, uiMessages));
  return (
    <div
      role="status"
      data-testid="outcome"
      className="flex flex-col gap-1 rounded-[9px] bg-line-soft px-3 py-2.5"
    >
      <p className="font-semibold">
        {outcome === "extended" ? messages.extended(has) : messages.already(has)}
      </p>
      <p>
        {messages.holdOf(
          <span className="font-mono text-xs">
            <SafeText text={owner} wrap />
          </span>,
          messages.lasts[lasts],
        )}
      </p>
    </div>
  );
}
