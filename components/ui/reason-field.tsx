"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { REASON_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface ReasonFieldProps {
  reason: string;
  onReason(reason: string): void;
  error: ReactNode;
  isOptional?: boolean;
  /** States where the reason is sent or recorded. By default, states that the audit log contains the reason. */
  placeholder?: string;
  charactersMax?: number;
  /** Reasons that the operator can insert with a click. Defaults to reasons for releasing a hold. */
  presets?: readonly string[];
}

export function ReasonField({
  reason,
  onReason,
  error,
  isOptional = false,
  placeholder,
  charactersMax = REASON_CHARACTERS_MAX,
  presets,
}: ReasonFieldProps) {
  const messages = useMessages(english);
  const isWrong = error !== undefined && error !== null;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor="reason" className="text-ink-2">
        {isOptional ? messages.reasonOptional : messages.reason}
      </label>
      <textarea
        id="reason"
        rows={2}
        value={reason}
        maxLength={charactersMax}
        onChange={(event) => onReason(event.target.value)}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? "reason-error" : undefined}
        placeholder={placeholder ?? messages.reasonPlaceholder}
        className="resize-none rounded-[7px] border border-line bg-bg px-2.5 py-1.5 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      <div className="flex flex-wrap gap-1.5">
        {(presets ?? messages.reasons.hold).map((preset) => (
          <Button
            key={preset}
            size="small"
            className="text-2xs text-ink-2 max-sm:h-9"
            onClick={() => onReason(preset)}
          >
            {preset}
          </Button>
        ))}
      </div>
      {isWrong && (
        <p id="reason-error" role="alert" className="text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

interface ConfirmNameFieldProps {
  label: string;
  typed: string;
  onType(typed: string): void;
  /** Whether the form was submitted without the correct name. If so, the field takes the focus. */
  isMissing?: boolean;
}

/**
 * Renders a text field in which the operator types a name to confirm an action. Used on production targets, for actions
 * on many locks or on a client that may still be working.
 */
export function ConfirmNameField({ label, typed, onType, isMissing = false }: ConfirmNameFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isMissing) input.current?.focus();
  }, [isMissing]);
  return (
    <Field label={label}>
      {(field) => (
        <input
          {...field}
          ref={input}
          className={INPUT_CLASS}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onType(event.target.value)}
        />
      )}
    </Field>
  );
}
