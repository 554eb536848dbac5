import type { Verdict, Violation } from "../checks/check.ts";
import { type Entry, toMilliseconds } from "../history/entry.ts";

const SHOWN = 3;

/** Formats the result of a run as text. @param command the command that repeats the run */
export function formatVerdicts(verdicts: readonly Verdict[], command: string): string {
  const lines = verdicts.map(
    (verdict) =>
      `${verdict.check} ${verdict.title.padEnd(22)} ${formatOutcome(verdict)}: ${verdict.notes.join("; ")}`,
  );
  const found = verdicts.flatMap(({ violations }) => violations.slice(0, SHOWN));
  const open = verdicts.flatMap(({ check, undecided = [] }) => undecided.map((why) => `\n${check}: ${why}`));
  return [...lines, ...found.map((violation) => `\n${formatViolation(violation, command)}`), ...open].join(
    "\n",
  );
}

export function formatOutcome({ violations, undecided = [] }: Verdict): string {
  if (violations.length > 0) return `VIOLATED ${violations.length} times`;
  return undecided.length > 0 ? "UNDECIDED" : "held";
}

export function formatViolation({ check, what, lock, entries }: Violation, command: string): string {
  const where = lock === "" ? "" : ` (${lock})`;
  const excerpt = entries.map((entry) => `  ${formatEntry(entry)}`);
  return [`${check}: ${what}${where}`, ...excerpt, `  again: ${command}`].join("\n");
}

export interface RunResult {
  readonly code: 0 | 1 | 3;
  readonly line: string;
}

/**
 * Returns the report and the exit code of a run: 0 if all checks passed, 1 after a violation, and 3 if there was no
 * violation but a check could not decide.
 */
export function getRunResult(verdicts: readonly Verdict[], command: string): RunResult {
  const violations = verdicts.reduce((sum, verdict) => sum + verdict.violations.length, 0);
  const open = verdicts.filter(({ undecided = [] }) => undecided.length > 0).map(({ check }) => check);
  if (violations > 0) return { code: 1, line: `${violations} violations; again: ${command}` };
  if (open.length === 0) return { code: 0, line: "0 violations" };
  const line = `0 violations, but UNDECIDED: ${open.join(", ")} gave up, so this run proves nothing of it. A shorter one may be decided; again: ${command}`;
  return { code: 3, line };
}

export function formatEntry({ t, process, context, op, type, ...rest }: Entry): string {
  const { lock: _lock, call: _call, claim: _claim, deadline, ...facts } = rest;
  const where = context === undefined ? process : `${process}/${context}`;
  const end = deadline === undefined ? "" : ` deadline=${toMilliseconds(deadline).toFixed(1)}`;
  const told = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return `${toMilliseconds(t).toFixed(3).padStart(10)} ms  ${where.padEnd(9)} ${op} ${type}${end} ${told.join(" ")}`;
}
