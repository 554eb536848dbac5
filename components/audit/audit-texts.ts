import { formatDate } from "@/components/ui/format-duration.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { AuditItem } from "@/lib/contract/audit.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

export type OutcomeTone = "good" | "bad" | "open";

/**
 * Returns how to show an outcome: as a success (`good`), as a failure (`bad`), or as not recorded (`open`).
 *
 * @param count number of refused requests that the entry summarizes; `undefined` for entries about other actions
 */
export function getOutcomeTone(outcome: AuditItem["outcome"], count?: number): OutcomeTone {
  if (outcome === null) return "open";
  if (count !== undefined) return "bad";
  // Only failures have a `detail`, which is the one in the error response.
  return outcome.detail === undefined && outcome.code !== "not_begun" ? "good" : "bad";
}

/**
 * Returns the display name of a recorded code. Returns the code itself if `names` does not contain it, such as a code
 * from an older version.
 */
export function findAuditName(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? (names[code] ?? code) : code;
}

/** Formats a time as `2026-11-21 21:05:01` in the browser's time zone. */
export const formatAuditTime = (at: number): string => formatDate(at).slice(0, "2026-11-21 21:05:01".length);
const formatMinute = (at: number): string => formatDate(at).slice(0, "2026-11-21 21:05".length);

const LINES_MAX = 20;

/** Formats the parameters of an action as pairs of name and value. Returns at most 20 pairs. */
export function formatDetailLines(
  details: Record<string, unknown> | undefined,
): [name: string, text: string][] {
  return Object.entries(details ?? {})
    .slice(0, LINES_MAX)
    .map(([name, value]) => [toVisibleText(name), typeof value === "string" ? value : JSON.stringify(value)]);
}

/** A time range in Unix milliseconds. If `from` or `to` is `undefined`, the range is open at that end. */
export interface AuditTimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Returns the label of the button that opens the time filter. */
export function formatTimeSpan({ from, to }: AuditTimeSpan, messages: Messages["audit"]): string {
  const [since, until] = [from, to].map((at) => (at === undefined ? undefined : formatMinute(at)));
  if (since === undefined) return until === undefined ? messages.anyTime : messages.until(until);
  return until === undefined ? messages.since(since) : messages.fromTo(since, until);
}
