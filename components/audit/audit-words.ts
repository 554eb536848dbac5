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
