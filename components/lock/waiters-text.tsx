import { formatNumber } from "@/components/ui/duration.ts";
import type { Waiters } from "@/lib/contract/lock.ts";

const TITLE: Record<Waiters["known"], string> = {
  exact: "All who wait for it",
  estimated: "Clients that listen for its release, each with one waiter or more",
  unknowable: "Who waits by asking again and again cannot be seen",
};

/** A figure for a cell: `3`, `≥ 2`, or nothing. */
export function WaitersFigure({ waiters: { count, known } }: { waiters: Waiters }) {
  if (count === null || (count === 0 && known !== "exact")) {
    return (
      <span className="text-ink-3" title={TITLE[known]}>
        {known === "unknowable" ? "–" : "0"}
      </span>
    );
  }
  return (
    <span className={count > 0 ? "text-warn" : undefined} title={TITLE[known]}>
      {known !== "exact" && <span className="text-ink-3">≥ </span>}
      {formatNumber(count)}
    </span>
  );
}

/** For the lock's page. */
export function waitersText({ count, known }: Waiters): string {
  if (known === "exact") return count === 0 ? "nobody waits" : `${formatNumber(count ?? 0)} wait`;
  if (known === "estimated") {
    return count
      ? `${formatNumber(count)} clients listen for its release`
      : "no client listens for its release";
  }
  const seen = count ? `${formatNumber(count)} wait by Lockkeeper; ` : "";
  return `${seen}who waits by asking again and again cannot be seen`;
}
