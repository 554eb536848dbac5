import { readFileSync } from "node:fs";

/** A line of the log that `work.mjs` writes. */
export interface RunLogLine {
  /** Milliseconds on the monotonic clock of the machine. */
  readonly at: number;
  readonly event: string;
  readonly key: string;
  readonly fence: string;
  readonly pid: number;
  /** PID of the process that started the command. */
  readonly parent: number;
}

/** The period in which one command ran. */
export interface WorkSpan {
  readonly pid: number;
  readonly parent: number;
  readonly key: string;
  readonly fence: string;
  readonly beganAt: number;
  /** Time of the last line that the command wrote, whether or not that line is `end`. */
  lastAt: number;
  /** Events that the command recorded, except `alive`. */
  readonly events: string[];
}

export function readRunLog(file: string): RunLogLine[] {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    // No command has started yet.
  }
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Returns the spans of all commands, ordered by their start. */
export function readWorkSpans(file: string): WorkSpan[] {
  const spans = new Map<string, WorkSpan>();
  for (const { at, event, key, fence, pid, parent } of readRunLog(file)) {
    const id = `${pid} ${fence}`;
    const span = spans.get(id) ?? { pid, parent, key, fence, beganAt: at, lastAt: at, events: [] };
    spans.set(id, span);
    span.lastAt = Math.max(span.lastAt, at);
    if (event !== "alive") span.events.push(event);
  }
  return [...spans.values()].sort((a, b) => a.beganAt - b.beganAt);
}

/** An overlap of two commands that ran under different holds of the same key. */
export interface Overlap {
  readonly fences: readonly [string, string];
  readonly ms: number;
}

export function findOverlaps(spans: readonly WorkSpan[]): Overlap[] {
  const overlaps: Overlap[] = [];
  const latest = new Map<string, WorkSpan>();
  for (const span of [...spans].sort((a, b) => a.beganAt - b.beganAt)) {
    const before = latest.get(span.key);
    if (before !== undefined && before.fence !== span.fence && span.beganAt <= before.lastAt)
      overlaps.push({ fences: [before.fence, span.fence], ms: before.lastAt - span.beganAt });
    if (before === undefined || span.lastAt > before.lastAt) latest.set(span.key, span);
  }
  return overlaps;
}
