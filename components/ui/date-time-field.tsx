"use client";

import clsx from "clsx";
import { type Ref, useState, useSyncExternalStore } from "react";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { formatZone, parseLocalDateTime, toLocalDateTime } from "./local-date-time.ts";

interface DateTimeFieldProps {
  /** Unix milliseconds; `undefined` if empty. */
  value: number | undefined;
  /**
   * Called with Unix milliseconds, or with `undefined` for an empty field, on Enter and on blur. Not called if the text
   * is unchanged or not a valid time.
   */
  onCommit(at: number | undefined): void;
  label: string;
  inputRef?: Ref<HTMLInputElement>;
}

/** The placeholder that shows the format of a date and time, the same in every language. */
const DATE_TIME_FORM = "YYYY-MM-DD HH:MM";
const FIELD_CLASS =
  "h-7 w-[calc(19ch+20px)] rounded-[7px] border border-line bg-panel px-2 font-mono text-xs text-ink placeholder:text-ink-3 aria-invalid:border-bad max-sm:h-11";

/** Renders a text field for a date and time on a 24-hour clock. Shows the time zone next to the field. */
export function DateTimeField({ value, onCommit, label, inputRef }: DateTimeFieldProps) {
  const { dateTimeInvalid } = useMessages(ui);
  // The server does not know the browser's time zone, so the field is empty before hydration.
  const isInBrowser = useIsInBrowser();
  const shown = value === undefined || !isInBrowser ? "" : toLocalDateTime(value);
  const [draft, setDraft] = useState<{ text: string; of: string }>();
  const text = draft?.of === shown ? draft.text : shown;
  const at = parseLocalDateTime(text);
  const isInvalid = text.trim() !== "" && at === undefined;
  const commit = () => {
    if (isInvalid || text === shown) return;
    setDraft(undefined);
    onCommit(at);
  };
  return (
    <span className="inline-flex items-center gap-1.5">
      <input
        ref={inputRef}
        value={text}
        placeholder={DATE_TIME_FORM}
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        title={isInvalid ? dateTimeInvalid : undefined}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setDraft({ text: target.value, of: shown })}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
        className={FIELD_CLASS}
      />
      {isInBrowser && <ZoneName at={value} />}
    </span>
  );
}

/**
 * Shows the name of the browser's time zone at a point in time.
 *
 * @param at Unix milliseconds; defaults to now
 */
export function ZoneName({ at = Date.now() }: { at?: number | undefined }) {
  return (
    <span
      translate="no"
      className="text-2xs text-ink-3"
      title={Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      {formatZone(at)}
    </span>
  );
}

interface DateTimeTextFieldProps {
  id?: string | undefined;
  text: string;
  onText(text: string): void;
  label?: string | undefined;
  /** Whether the field takes the focus when the form opens. */
  isFirst?: boolean;
  className?: string;
  "aria-describedby"?: string | undefined;
}

/**
 * Renders a text field for a date and time, without the time zone. Calls `onText` with the text as entered. The form
 * must parse the text on submit.
 */
export function DateTimeTextField({
  text,
  onText,
  label,
  isFirst = false,
  className,
  ...rest
}: DateTimeTextFieldProps) {
  const { dateTimeInvalid } = useMessages(ui);
  const isInvalid = text.trim() !== "" && parseLocalDateTime(text) === undefined;
  return (
    <input
      {...rest}
      // biome-ignore lint/a11y/noAutofocus: the user opened the form to fill it in
      autoFocus={isFirst}
      value={text}
      placeholder={DATE_TIME_FORM}
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      title={isInvalid ? dateTimeInvalid : undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => onText(target.value)}
      className={clsx(FIELD_CLASS, className)}
    />
  );
}

const subscribeToNothing = () => () => {};

function useIsInBrowser(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
