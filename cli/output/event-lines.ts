import type { HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { formatDuration } from "./duration.ts";
import { padToColumns, toPrintable } from "./printable.ts";
import type { Style } from "./style.ts";

const TYPE_COLUMNS = 14;

/** Formats an event or a gap as one line. For an event: time in UTC, type, key and other known details. */
export function formatEventLine(entry: HistoryEntry, style: Style): string {
  const time = style.dim(new Date(entry.at).toISOString());
  const type = padToColumns(entry.type, TYPE_COLUMNS);
  if (entry.type === "gap") {
    const from = new Date(entry.from).toISOString();
    return `${time}  ${style.yellow(type)}  events since ${from} are not known\n`;
  }
  return `${time}  ${paintType(entry, type, style)}  ${toPrintable(entry.key)}${formatFacts(entry)}\n`;
}

function paintType({ type }: LockEvent, text: string, style: Style): string {
  if (type === "force_released" || type === "evicted" || type === "recreated") return style.red(text);
  return type === "expired" ? style.yellow(text) : text;
}

function formatFacts({ owner, heldMs, fence, count, by, reason, observed }: LockEvent): string {
  const facts = [
    owner,
    heldMs === undefined ? undefined : `held ${formatDuration(heldMs)}`,
    fence === undefined ? undefined : `fence ${fence}`,
    count === undefined || count === 1 ? undefined : `count ${count}`,
    by === undefined ? reason : `by ${by}${reason ? `: ${reason}` : ""}`,
    observed === "inferred" ? "inferred" : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.map((fact) => `  ${toPrintable(fact)}`).join("");
}
