"use client";

import clsx from "clsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

const SHOWN_MAX = 99;

interface AttentionBadgeProps {
  count: number | undefined;
  /** What the badge counts: locks that need attention, or deadlocks. */
  of?: "locks" | "deadlocks";
  className: string;
}

/**
 * Shows the number of locks that need attention, or the number of deadlocks. Renders nothing if the number is 0 or not
 * known.
 */
export function AttentionBadge({ count, of = "locks", className }: AttentionBadgeProps) {
  const messages = useMessages(shell);
  if (count === undefined || count === 0) return null;
  return (
    <span
      className={clsx(
        "rounded-full bg-bad px-1 text-center text-[10px] leading-[15px] font-medium text-bad-ink tabular-nums",
        className,
      )}
    >
      <span aria-hidden>{count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}</span>
      <span className="sr-only">
        {of === "locks"
          ? messages.needAttention(formatNumber(count))
          : messages.deadlocks(formatNumber(count))}
      </span>
    </span>
  );
}
