"use client";

import { Popover } from "@base-ui/react/popover";
import { ChevronDown } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { DateTimeTextField, ZoneName } from "@/components/ui/date-time-field.tsx";
import { Field } from "@/components/ui/field.tsx";
import { parseLocalDateTime, toLocalDateTime } from "@/components/ui/local-date-time.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { type AuditTimeSpan, formatTimeSpan } from "./audit-texts.ts";

interface AuditTimeFilterProps {
  span: AuditTimeSpan;
  onChoose(span: AuditTimeSpan): void;
}

/**
 * Shows the button and the form that filter the audit log by time. Load this component lazily, because it bundles the
 * overlay code.
 */
export function AuditTimeFilter({ span, onChoose }: AuditTimeFilterProps) {
  const messages = useMessages(audit);
  const [isOpen, setOpen] = useState(false);
  const choose = (chosen: AuditTimeSpan) => {
    onChoose(chosen);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger render={<Button className="min-h-8.5" />}>
        {formatTimeSpan(span, messages)}
        <ChevronDown aria-hidden size={13} className="text-ink-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup className="w-72 max-w-[calc(100vw-1.5rem)] rounded-[10px] border border-line bg-panel p-4 shadow-sheet">
            <Popover.Title className="pb-3 font-semibold">{messages.when}</Popover.Title>
            <TimeForm span={span} onChoose={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Renders the form for a time range. Applies start and end together, because each request reads the whole log. */
function TimeForm({ span, onChoose }: AuditTimeFilterProps) {
  const messages = useMessages(audit);
  const { dateTimeInvalid } = useMessages(ui);
  const [from, setFrom] = useState(formatDateTimeInput(span.from));
  const [to, setTo] = useState(formatDateTimeInput(span.to));
  const chosen = { from: parseLocalDateTime(from), to: parseLocalDateTime(to) };
  const isUnreadable = isInvalid(from) || isInvalid(to);
  const isBackwards = (chosen.from ?? 0) > (chosen.to ?? Number.POSITIVE_INFINITY);
  const blocked = isUnreadable ? dateTimeInvalid : isBackwards ? messages.endBeforeStart : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked === null) onChoose(chosen);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
      <Field label={messages.from}>
        {(field) => <DateTimeTextField {...field} text={from} onText={setFrom} className={WIDE_CLASS} />}
      </Field>
      <Field label={messages.to} hint={messages.zoneHint(<ZoneName at={chosen.to} />)}>
        {(field) => <DateTimeTextField {...field} text={to} onText={setTo} className={WIDE_CLASS} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={() => onChoose({ from: undefined, to: undefined })}>{messages.anyTime}</Button>
        <Button type="submit" variant="primary" blocked={blocked}>
          {messages.apply}
        </Button>
      </div>
    </form>
  );
}

const WIDE_CLASS = "w-full h-8";
const isInvalid = (text: string) => text.trim() !== "" && parseLocalDateTime(text) === undefined;
const formatDateTimeInput = (at: number | undefined) => (at === undefined ? "" : toLocalDateTime(at));
