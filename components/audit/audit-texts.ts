import { formatDayMinute } from "@/components/ui/format-duration.ts";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { AuditItem } from "@/lib/contract/audit.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

export type OutcomeTone = "good" | "bad" | "open";

export function getOutcomeTone(outcome: AuditItem["outcome"]): OutcomeTone {
  if (outcome === null) return "open";
  // Of a failure is told what its caller was told.
  return outcome.detail === undefined && outcome.code !== "not_begun" ? "good" : "bad";
}

const LINES_MAX = 20;

/** What else was recorded, a line each. */
export function formatDetailLines(
  details: Record<string, unknown> | undefined,
): [name: string, text: string][] {
  return Object.entries(details ?? {})
    .slice(0, LINES_MAX)
    .map(([name, value]) => [toVisibleText(name), typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Unix milliseconds; undefined: without that end. */
export interface AuditTimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** On the button that opens the choice. */
export function formatTimeSpan({ from, to }: AuditTimeSpan, messages: Messages["audit"]): string {
  const [since, until] = [from, to].map((at) => (at === undefined ? undefined : formatDayMinute(at)));
  if (since === undefined) return until === undefined ? messages.anyTime : messages.until(until);
  return until === undefined ? messages.since(since) : messages.fromTo(since, until);
}
