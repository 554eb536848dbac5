"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { DateTimeTextField, ZoneName } from "@/components/ui/date-time-field.tsx";
import { parseLocalDateTime, toLocalDateTime } from "@/components/ui/local-date-time.ts";
import { eventsPage } from "@/lib/i18n/en/events-page.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { EventSearch } from "../feed/use-event-reader.ts";
import { ReplayScope } from "./replay-scope.tsx";
import type { ReplaySpan } from "./use-replay.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PRESET_SPANS = [
  ["5 m", 5 * MINUTE_MS],
  ["15 m", 15 * MINUTE_MS],
  ["1 h", 60 * MINUTE_MS],
] as const;

interface ReplayFormProps {
  search: EventSearch;
  /** A time in Unix milliseconds that the suggested range contains; `undefined` suggests a range that ends at `now`. */
  at: number | undefined;
  /** The current time of the Redis clock, in Unix milliseconds. */
  now: number;
  onStart(span: ReplaySpan): void;
  onCancel(): void;
}

/** Renders the form for the time range of a replay. */
export function ReplayForm({ search, at, now, onStart, onCancel }: ReplayFormProps) {
  const { replay: messages } = useMessages(eventsPage);
  const first: ReplaySpan =
    at === undefined
      ? { from: now - 5 * MINUTE_MS, to: now }
      : { from: at - 2 * MINUTE_MS, to: at + MINUTE_MS };
  const [from, setFrom] = useState(toLocalDateTime(first.from));
  const [to, setTo] = useState(toLocalDateTime(first.to));
  const [start, end] = [parseLocalDateTime(from), parseLocalDateTime(to)];
  const fault =
    start === undefined || end === undefined
      ? messages.rangeRequired
      : end <= start
        ? messages.endBeforeStart
        : end - start > DAY_MS
          ? messages.rangeTooLong
          : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fault === null && start !== undefined && end !== undefined) onStart({ from: start, to: end });
  };
  return (
    <form
      onSubmit={submit}
      aria-label={messages.label}
      className="flex flex-wrap items-center gap-2 rounded-[10px] border border-line bg-panel px-3 py-2"
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <div className="w-full">
        <p className="text-ink-2">{messages.choose}</p>
        <ReplayScope search={search} />
      </div>
      <span className="flex flex-wrap items-center gap-1.5 text-ink-2">
        <span aria-hidden>{messages.from}</span>
        <DateTimeTextField text={from} onText={setFrom} label={messages.fromLabel} isFirst />
        <span aria-hidden>{messages.to}</span>
        <DateTimeTextField text={to} onText={setTo} label={messages.toLabel} />
        <ZoneName at={first.to} />
      </span>
      <span className="flex gap-0.5">
        {PRESET_SPANS.map(([span, ms]) => (
          <Button
            key={span}
            variant="quiet"
            size="small"
            onClick={() => onStart({ from: now - ms, to: now })}
          >
            {messages.last(span)}
          </Button>
        ))}
      </span>
      <span className="flex-1" />
      {fault !== null && <span className="text-bad">{fault}</span>}
      <Button variant="quiet" onClick={onCancel}>
        {messages.cancel}
      </Button>
      <Button type="submit" variant="primary" blocked={fault}>
        {messages.start}
      </Button>
    </form>
  );
}
