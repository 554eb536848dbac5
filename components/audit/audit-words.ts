import { visibleText } from "@/components/ui/visible-text.ts";
import type { AuditItem } from "@/lib/contract/audit.ts";

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

const moment = new Intl.DateTimeFormat("en-GB", {
  day: "2-digit",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** On the button that opens the choice. */
export function spanText({ from, to }: Span): string {
  if (from === undefined) return to === undefined ? "Any time" : `Until ${moment.format(to)}`;
  return to === undefined ? `Since ${moment.format(from)}` : `${moment.format(from)} to ${moment.format(to)}`;
}
