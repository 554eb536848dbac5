import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Waiters } from "@/lib/contract/lock.ts";
import { lock } from "@/lib/i18n/en/lock.tsx";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Shows the number of waiters for a cell of the table: `3`, `≥ 2` (at least 2), or `–` if waiters are not visible. */
export function WaiterCount({ waiters: { count, known } }: { waiters: Waiters }) {
  const messages = useMessages(lock);
  const title = messages.waitersHints[known];
  if (count === null || (count === 0 && known !== "exact")) {
    return (
      <span className="text-ink-3" title={title}>
        {known === "unknown" ? "–" : "0"}
      </span>
    );
  }
  return (
    <span className={count > 0 ? "text-warn" : undefined} title={title}>
      {known !== "exact" && <span className="text-ink-3">≥ </span>}
      {formatNumber(count)}
    </span>
  );
}

/** Formats the number of waiters as a sentence. */
export function formatWaiterCount({ count, known }: Waiters, messages: Messages["lock"]): string {
  if (known === "exact") return count ? messages.wait(formatNumber(count)) : messages.noWaiters;
  if (known === "estimated") return count ? messages.subscribed(formatNumber(count)) : messages.noSubscriber;
  return messages.waitingNotVisible(count ? formatNumber(count) : null);
}
