import { type ReactNode, useId } from "react";

/** The CSS classes of a single-line text field. */
export const INPUT_CLASS =
  "h-8 max-sm:h-11 w-full rounded-[7px] border border-line bg-bg px-2.5 placeholder:text-ink-3 aria-invalid:border-bad";

/** The CSS classes of a multi-line text field. */
export const TEXTAREA_CLASS =
  "resize-y rounded-[7px] border border-line bg-bg px-2.5 py-1.5 placeholder:text-ink-3";

export interface FieldProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface FieldLayoutProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children(props: FieldProps): ReactNode;
}

/**
 * Renders a form field with a label above the control. Shows the error, or the hint if there is no error, below the
 * control.
 */
export function Field({ label, hint, error, children }: FieldLayoutProps) {
  const id = useId();
  const below = error ?? hint;
  const belowId = `${id}-below`;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-ink-2">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": below === undefined ? undefined : belowId,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {below !== undefined && (
        <p
          id={belowId}
          role={error === undefined ? undefined : "alert"}
          className={error === undefined ? "text-2xs text-ink-3" : "text-bad"}
        >
          {below}
        </p>
      )}
    </div>
  );
}
