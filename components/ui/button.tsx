import clsx from "clsx";
import type { ComponentProps, MouseEvent } from "react";

type ButtonVariant = "plain" | "primary" | "danger" | "danger-outline" | "quiet";

const VARIANT_CLASSES: Record<ButtonVariant, string> = {
  plain: "border-line bg-panel text-ink hover:bg-line-soft",
  primary: "border-accent bg-accent text-accent-ink hover:brightness-90 dark:hover:brightness-110",
  danger: "border-bad bg-bad text-bad-ink hover:brightness-90 dark:hover:brightness-110",
  "danger-outline": "border-bad bg-panel text-bad hover:bg-bad-bg",
  quiet: "border-transparent text-ink-2 hover:bg-line-soft hover:text-ink",
};

type ButtonSize = "normal" | "small" | "icon" | "small-icon";

const SIZE_CLASSES: Record<ButtonSize, string> = {
  normal: "h-7 px-2.5",
  small: "h-6 px-2",
  icon: "size-7",
  "small-icon": "size-6",
};

/**
 * The classes that make touch targets 44 px high on phones. For all sizes except `normal`, the touch target is larger
 * than the visible button.
 */
const PHONE_CLASSES: Record<ButtonSize, string> = {
  normal: "max-sm:min-h-11",
  small: "max-sm:relative max-sm:after:absolute max-sm:after:-inset-y-2.5 max-sm:after:inset-x-0",
  icon: "max-sm:relative max-sm:after:absolute max-sm:after:-inset-2",
  "small-icon": "max-sm:relative max-sm:after:absolute max-sm:after:-inset-2.5",
};

interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Why the button is disabled. A disabled button remains focusable, so that the user can read the reason. */
  blocked?: string | null | undefined;
}

export function Button({
  variant = "plain",
  size = "normal",
  blocked,
  className,
  onClick,
  title,
  ...rest
}: ButtonProps) {
  const isBlocked = blocked !== null && blocked !== undefined;
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBlocked) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      onClick={click}
      title={isBlocked ? blocked : title}
      aria-disabled={isBlocked || undefined}
      className={clsx(
        "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-[7px] border whitespace-nowrap",
        SIZE_CLASSES[size],
        PHONE_CLASSES[size],
        isBlocked ? "cursor-not-allowed border-line bg-line-soft text-ink-3" : VARIANT_CLASSES[variant],
        className,
      )}
    />
  );
}
