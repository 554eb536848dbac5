"use client";

import { Popover } from "@base-ui/react/popover";
import { ChevronDown } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, type FieldProps, INPUT } from "@/components/ui/field.tsx";
import { localText, momentOfText } from "@/components/ui/local-date-time.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { type Span, spanText } from "./audit-texts.ts";

interface AuditTimeProps {
  span: Span;
  onChoose(span: Span): void;
}

/** From when until when. Load it late: it brings the overlay. */
export function AuditTime({ span, onChoose }: AuditTimeProps) {
  const words = useWords(audit);
  const [isOpen, setOpen] = useState(false);
  const choose = (chosen: Span) => {
    onChoose(chosen);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger render={<Button className="min-h-8.5" />}>
        {spanText(span, words)}
        <ChevronDown aria-hidden size={13} className="text-ink-3" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup className="w-72 max-w-[calc(100vw-1.5rem)] rounded-[10px] border border-line bg-panel p-4 shadow-sheet">
            <Popover.Title className="pb-3 font-semibold">{words.when}</Popover.Title>
            <TimeForm span={span} onChoose={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Asks once, when both are as they are meant: each look goes through the chain. */
function TimeForm({ span, onChoose }: AuditTimeProps) {
  const words = useWords(audit);
  const [from, setFrom] = useState(textOf(span.from));
  const [to, setTo] = useState(textOf(span.to));
  const chosen = { from: momentOfText(from), to: momentOfText(to) };
  const blocked = (chosen.from ?? 0) > (chosen.to ?? Number.POSITIVE_INFINITY) ? words.endsBefore : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (blocked === null) onChoose(chosen);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
      <Field label={words.from}>{(field) => <Moment {...field} value={from} onChange={setFrom} />}</Field>
      <Field label={words.to} hint={words.toHint}>
        {(field) => <Moment {...field} value={to} onChange={setTo} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={() => onChoose({ from: undefined, to: undefined })}>{words.anyTime}</Button>
        <Button type="submit" look="primary" blocked={blocked}>
          {words.showThese}
        </Button>
      </div>
    </form>
  );
}

interface MomentProps extends FieldProps {
  value: string;
  onChange(value: string): void;
}

function Moment({ onChange, ...rest }: MomentProps) {
  return (
    <input
      {...rest}
      type="datetime-local"
      step={1}
      onChange={({ target }) => onChange(target.value)}
      className={INPUT}
    />
  );
}

const textOf = (at: number | undefined) => (at === undefined ? "" : localText(at));
