import type { Verdict, Violation } from "../checks/finding.ts";
import { type Entry, inMs } from "../history/entry.ts";
import type { Story } from "../history/story.ts";

const SHOWN = 3;
const EXCERPT_LINES = 24;

/** What a person reads at the end of a run. */
export function textOfVerdicts(verdicts: readonly Verdict[], story: Story): string {
  const lines = verdicts.flatMap(({ check, title, violations, notes }) => [
    `${check} ${title.padEnd(22)} ${violations.length === 0 ? "held" : `VIOLATED ${violations.length} times`}: ${notes.join("; ")}`,
  ]);
  const found = verdicts.flatMap(({ violations }) => violations.slice(0, SHOWN));
  return [...lines, ...found.map((violation) => `\n${textOfViolation(violation, story)}`)].join("\n");
}

function textOfViolation(violation: Violation, { history }: Story): string {
  const { check, what, lock } = violation;
  return [
    `${check}: ${what} (${lock})`,
    ...excerptOf(violation, history).map((entry) => `  ${lineOf(entry)}`),
  ].join("\n");
}

/** The part of the history that shows it: the calls of those concerned, and the faults of the time. */
export function excerptOf({ lock, owners, from, to }: Violation, history: readonly Entry[]): Entry[] {
  const shown = history.filter((entry) => {
    if (entry.t < from || entry.t > to) return false;
    if (entry.op === "fault") return true;
    return (
      entry.lock === lock &&
      owners.some((owner) => entry.owner === owner || entry.value?.startsWith(`${owner}#`))
    );
  });
  if (shown.length <= EXCERPT_LINES) return shown;
  return [...shown.slice(0, EXCERPT_LINES / 2), ...shown.slice(-EXCERPT_LINES / 2)];
}

export function lineOf({ t, process, context, op, type, ...rest }: Entry): string {
  const { lock: _lock, call: _call, claim: _claim, deadline, ...facts } = rest;
  const where = context === undefined ? process : `${process}/${context}`;
  const end = deadline === undefined ? "" : ` deadline=${inMs(deadline).toFixed(1)}`;
  const told = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return `${inMs(t).toFixed(3).padStart(10)} ms  ${where.padEnd(9)} ${op} ${type}${end} ${told.join(" ")}`;
}
