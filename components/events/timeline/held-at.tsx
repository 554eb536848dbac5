"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatClockMs, formatDate } from "@/components/ui/format-duration.ts";
import { toLocalDateTime } from "@/components/ui/local-date-time.ts";
import { formatTimeZone, parsePastTime } from "@/components/ui/parse-past-time.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { timeline as english } from "@/lib/i18n/en/timeline.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveStore } from "@/lib/live/live-context.ts";
import type { PastKeyEvents } from "../key-history/use-key-events.ts";
import { formatPastHold } from "./bar-text.ts";
import { useBarMessages } from "./use-bar-messages.ts";

const formatInput = (at: number | undefined) =>
  at === undefined ? "" : toLocalDateTime(at).replace("T", " ");

/**
 * Formats a time as `2026-11-23 10:47:04.120 CET`. Includes milliseconds because holds of a busy lock can start within
 * milliseconds of each other.
 */
const formatMoment = (at: number) => formatDate(at).replace(/\d{2}:\d{2}:\d{2}/, formatClockMs(at));

interface HeldAtFormProps {
  /** The selected time in Unix milliseconds; `undefined` for now. */
  at: number | undefined;
  onAt(at: number | undefined): void;
}

/** Renders the form that selects a time in the past. */
export function HeldAtForm({ at, onAt }: HeldAtFormProps) {
  const { heldAt: messages } = useMessages(english);
  const { clock } = useLiveStore();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(formatInput(at));
  const [isInvalid, setInvalid] = useState(false);
  // The time can also change without this form, for example when the user goes back in the browser.
  const [shownAt, setShownAt] = useState(at);
  if (at !== shownAt) {
    setShownAt(at);
    setText(formatInput(at));
    setInvalid(false);
  }
  useCommands([{ id: "lock:held-at", name: messages.command, run: () => input.current?.focus() }]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const moment = parsePastTime(text, clock.now() ?? Date.now());
    setInvalid(moment === undefined);
    if (moment === undefined) return;
    setText(formatInput(moment));
    onAt(moment);
  };
  const showNow = () => {
    setText("");
    setInvalid(false);
    onAt(undefined);
    // The button disappears, so its focus moves to the field.
    input.current?.focus();
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <label htmlFor={id} className="text-ink-2">
        {messages.label}
      </label>
      <input
        id={id}
        ref={input}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={messages.placeholder}
        aria-describedby={`${id}-hint`}
        aria-invalid={isInvalid || undefined}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-44 rounded-[7px] border border-line bg-panel px-2 text-ink aria-invalid:border-bad max-sm:h-11"
      />
      <Button type="submit" className="max-sm:h-11">
        {messages.show}
      </Button>
      {at !== undefined && (
        <Button onClick={showNow} className="max-sm:h-11">
          {messages.now}
        </Button>
      )}
      <span id={`${id}-hint`} className="text-2xs text-ink-3">
        {formatTimeZone(at ?? Date.now())}
      </span>
      {isInvalid && (
        <p role="alert" className="basis-full text-bad">
          {messages.invalid}
        </p>
      )}
    </form>
  );
}

interface HeldAtProps {
  /** The holders at the selected time; `undefined` for now. */
  past: PastKeyEvents | undefined;
}

/**
 * Renders a text that describes who held the lock at a past time. Without a time, renders an empty element, because
 * screen readers announce only changes of an existing element.
 */
export function HeldAt({ past }: HeldAtProps) {
  return (
    <div
      role="status"
      className={past === undefined ? "sr-only" : "flex flex-col gap-1"}
      data-testid="held-at"
    >
      {past !== undefined && <PastHolders past={past} />}
    </div>
  );
}

function PastHolders({ past }: { past: PastKeyEvents }) {
  const { heldAt: messages } = useMessages(english);
  const barMessages = useBarMessages();
  const { at, holds, events, complete, failed, isUnwatched } = past;
  const isForgotten = events.length === 0 && !complete;
  return (
    <>
      <p className="font-medium">{messages.title(formatMoment(at))}</p>
      {holds === undefined && <p className="text-ink-3">{failed ? messages.failed : messages.loading}</p>}
      {holds?.map((hold) => (
        <p key={`${hold.fence} ${hold.owner} ${hold.since}`} className="wrap-anywhere">
          <SafeText text={formatPastHold(hold, barMessages)} wrap />
        </p>
      ))}
      {holds?.length === 0 && (
        <p>{isForgotten ? messages.forgotten : isUnwatched ? messages.unknown : messages.notHeld}</p>
      )}
      {isUnwatched && <p className="text-warn">{messages.unwatched}</p>}
    </>
  );
}
