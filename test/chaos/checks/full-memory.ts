import { type AnalyzedHistory, type FaultSpan, isTouching, type Span } from "../history/analyzed-history.ts";
import { type Entry, NS_PER_MS } from "../history/entry.ts";
import { getProcessSlot } from "../history/process-slot.ts";
import { createViolation, type Violation } from "./check.ts";

/** Time in milliseconds after the end of another fault in which a call may still fail because of that fault. */
const BREATH_MS = 3000;

/** Finds releases that a server refused because its memory was full, while no other fault was active. */
export function findRefusedReleases(history: AnalyzedHistory): Violation[] {
  const full = history.faults.filter(({ fault }) => fault === "full-memory");
  const invokes = new Map<string, Entry>();
  return history.entries.flatMap((entry) => {
    const { op, type, process, call, token = "", code } = entry;
    if (op !== "release") return [];
    const invoked = invokes.get(`${process}#${call}`);
    if (type === "invoke") invokes.set(`${process}#${call}`, entry);
    if (type !== "fail" || code !== "unavailable" || invoked === undefined) return [];
    const span = { from: invoked.t, to: entry.t };
    const during = full.find(({ from, to }) => from <= span.from && span.to <= to);
    if (during === undefined || isDisturbed(history, process, during, span)) return [];
    const what = `${token} could not release its hold while the memory of ${during.target} was full`;
    return [createViolation("C5", what, [invoked, entry])];
  });
}

function isDisturbed(
  { faults }: AnalyzedHistory,
  process: string,
  full: FaultSpan,
  { from, to }: Span,
): boolean {
  const around = { from: from - BREATH_MS * NS_PER_MS, to };
  const own = getProcessSlot(process);
  const others = faults.filter((fault) => fault !== full && isTouching(fault, around));
  return others.some(({ target }) => target === own || !target.startsWith("worker "));
}
