import type { UnreadableKeyCounts } from "../../lib/contract/live.ts";
import type { Finding } from "../../lib/contract/target.ts";

/**
 * Returns a finding if any watched keys cannot be read. A key that is too large does not count as a lock, but any other
 * unreadable key may be a lock.
 */
export function checkUnreadableKeys(counts: UnreadableKeyCounts | undefined): Finding[] {
  if (counts === undefined || counts.count === 0) return [];
  const { count, byReason } = counts;
  const { too_large, forbidden, timeout, error } = byReason;
  const mayBeLocks = count - too_large;
  const risks = [
    mayBeLocks > 0 ? "Locks among these keys are not shown, and cannot be released here." : "",
    too_large > 0
      ? `${too_large} ${too_large === 1 ? "is" : "are"} too large for a lock and ${too_large === 1 ? "is" : "are"} not read: watch fewer keys with LOCKKEEPER_WATCH.`
      : "",
    forbidden > 0
      ? `The Redis user may not read ${forbidden}: grant the keys and +memory|usage, or watch fewer keys.`
      : "",
    timeout > 0 ? `Redis did not return ${timeout} in time: check what these keys contain.` : "",
    error > 0 ? `Redis returned an error for ${error}.` : "",
  ];
  return [
    {
      code: "unreadable_keys",
      severity: mayBeLocks > 0 ? "warning" : "note",
      title: `${count} watched ${count === 1 ? "key" : "keys"} cannot be read`,
      risk: risks.filter((risk) => risk !== "").join(" "),
      facts: Object.fromEntries(
        Object.entries({ count, ...byReason }).map(([name, number]) => [name, String(number)]),
      ),
      masters: [],
    },
  ];
}
