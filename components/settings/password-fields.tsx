import { Field, INPUT } from "@/components/ui/field.tsx";
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from "@/lib/contract/account-limits.ts";

interface PasswordFieldsProps {
  password: string;
  again: string;
  onPassword(password: string): void;
  onAgain(again: string): void;
}

/** A new password, twice. */
export function PasswordFields({ password, again, onPassword, onAgain }: PasswordFieldsProps) {
  const type = { type: "password", autoComplete: "new-password", maxLength: PASSWORD_CHARACTERS_MAX };
  return (
    <>
      <Field
        label="New password"
        hint={`${PASSWORD_CHARACTERS_MIN} characters at least. Several words are best.`}
      >
        {(field) => (
          <input
            {...field}
            {...type}
            className={INPUT}
            value={password}
            onChange={(event) => onPassword(event.target.value)}
          />
        )}
      </Field>
      <Field label="The same again">
        {(field) => (
          <input
            {...field}
            {...type}
            className={INPUT}
            value={again}
            onChange={(event) => onAgain(event.target.value)}
          />
        )}
      </Field>
    </>
  );
}

/** What is wrong with it; null: nothing. */
export function passwordFault(password: string, again: string): string | null {
  if (password.length < PASSWORD_CHARACTERS_MIN)
    return `The password has ${PASSWORD_CHARACTERS_MIN} characters at least.`;
  return password === again ? null : "The two passwords differ.";
}
