import { formatDayMinute } from "@/components/ui/format-duration.ts";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { AuditItem } from "@/lib/contract/audit.ts";
import type { Words } from "@/lib/i18n/en/messages.ts";

export type Tone = "good" | "bad" | "open";

export function toneOf(outcome: AuditItem["outcome"]): Tone {
  if (outcome === null) return "open";
  // Of a failure is told what its caller was told.
  return outcome.detail === undefined && outcome.code !== "not_begun" ? "good" : "bad";
}

const LINES_MAX = 20;

/** What else was recorded, a line each. */
export function detailLines(details: Record<string, unknown> | undefined): [name: string, text: string][] {
  return Object.entries(details ?? {})
    .slice(0, LINES_MAX)
    .map(([name, value]) => [visibleText(name), typeof value === "string" ? value : JSON.stringify(value)]);
}

/** Unix milliseconds; undefined: without that end. */
export interface Span {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** On the button that opens the choice. */
export function spanText({ from, to }: Span, words: Words["audit"]): string {
  const [since, until] = [from, to].map((at) => (at === undefined ? undefined : formatDayMinute(at)));
  if (since === undefined) return until === undefined ? words.anyTime : words.until(until);
  return until === undefined ? words.since(since) : words.fromTo(since, until);
}
