import type { LiveView } from "../../../lib/contract/live.ts";
import { type Key, parseKeyPath } from "../../../lib/keys/key.ts";

const toWindowText = ({ filter, sort, offset, limit }: LiveView) =>
  JSON.stringify([filter, sort, offset, limit]);
const toCountsText = ({ filter, sort, counts, namespaces }: LiveView) =>
  JSON.stringify([filter, sort, counts, namespaces]);
const toPinsText = ({ keep }: LiveView) => JSON.stringify(keep);

/**
 * Returns whether two views have the same window but differ in their pinned rows or counts, so that the window need not
 * be sent again. Returns `false` for identical views, because a client repeats a view to get all of its data again.
 */
export function hasSameWindow(one: LiveView, other: LiveView): boolean {
  if (toWindowText(one) !== toWindowText(other)) return false;
  return toPinsText(one) !== toPinsText(other) || toCountsText(one) !== toCountsText(other);
}

/**
 * Returns whether two views have the same counts but differ in their pinned rows or window. Returns `false` for
 * identical views, like `hasSameWindow`.
 */
export function hasSameCounts(one: LiveView, other: LiveView): boolean {
  if (toCountsText(one) !== toCountsText(other)) return false;
  return toPinsText(one) !== toPinsText(other) || toWindowText(one) !== toWindowText(other);
}

/**
 * Returns the key of the single lock that a view shows, or `undefined` if the view has no such lock or the path of the
 * lock is malformed.
 */
export function parseViewKey(view: LiveView): Key | undefined {
  if (view.lock === undefined) return undefined;
  const parsed = parseKeyPath(view.lock);
  return parsed.ok ? parsed.key : undefined;
}
