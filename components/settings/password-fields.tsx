"use client";

import { Field, INPUT_CLASS } from "@/components/ui/field.tsx";
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "@/lib/contract/limits.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { settings } from "@/lib/i18n/en/settings.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

interface PasswordFieldsProps {
  password: string;
  again: string;
  onPassword(password: string): void;
  onAgain(again: string): void;
}

export function PasswordFields({ password, again, onPassword, onAgain }: PasswordFieldsProps) {
  const messages = useMessages(settings);
  const type = { type: "password", autoComplete: "new-password", maxLength: PASSWORD_CHARACTERS_MAX };
  return (
    <>
      <Field label={messages.newPassword} hint={messages.passwordHint(PASSWORD_CHARACTERS_MIN)}>
        {(field) => (
          <input
            {...field}
            {...type}
            className={INPUT_CLASS}
            value={password}
            onChange={(event) => onPassword(event.target.value)}
          />
        )}
      </Field>
      <Field label={messages.repeatPassword}>
        {(field) => (
          <input
            {...field}
            {...type}
            className={INPUT_CLASS}
            value={again}
            onChange={(event) => onAgain(event.target.value)}
          />
        )}
      </Field>
    </>
  );
}

/** Returns why the new password is rejected (too short or not repeated correctly); `null` if it is valid. */
export function findPasswordFault(
  password: string,
  again: string,
  messages: Messages["settings"],
): string | null {
  if (password.length < PASSWORD_CHARACTERS_MIN) return messages.passwordShort(PASSWORD_CHARACTERS_MIN);
  return password === again ? null : messages.passwordsDiffer;
}
