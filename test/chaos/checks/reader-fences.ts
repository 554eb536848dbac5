import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import type { Claim } from "../history/claims.ts";
import { findDataLosses } from "../history/losses.ts";
import { createViolation, type Violation } from "./check.ts";

/**
 * Finds readers whose fence is not the fence of any known writer although a writer preceded them. Excludes readers
 * whose fence is explained by a writer without a reply or by a data loss. `checkFenceOrder` checks whether the fence
 * belongs to the last writer.
 */
export function findUnknownWriters(claims: readonly Claim[], history: AnalyzedHistory): Violation[] {
  const writers = claims.filter(({ kind }) => kind === "write");
  const fences = new Set(writers.map(({ fence }) => fence));
  const lock = claims[0]?.lock;
  const unanswered = listUnansweredWriters(lock, history);
  const readers = claims.filter(
    ({ kind, isReentry, fence }) => kind === "read" && !isReentry && !fences.has(fence),
  );
  return readers.flatMap((reader) => {
    const before = writers.find(({ ack }) => ack < reader.sent);
    const mayBeNew = unanswered.some((askedAt) => askedAt < reader.ack);
    const isLost = findDataLosses(history, { from: Number.NEGATIVE_INFINITY, to: reader.ack }).length > 0;
    if (before === undefined || mayBeNew || isLost) return [];
    const what = `${reader.token} reads with ${reader.fence}, which no writer was granted`;
    return [
      createViolation("C2", what, [before.written.granted, reader.written.asked, reader.written.granted]),
    ];
  });
}

/** Lists the times of requests by writers that received no reply and may have been granted the lock. */
function listUnansweredWriters(lock: string | undefined, { entries }: AnalyzedHistory): number[] {
  const open = new Map<string, number>();
  const unanswered: number[] = [];
  for (const { op, type, kind, process, call, t, code, lock: key } of entries) {
    if (op !== "acquire" || kind !== "write" || key !== lock) continue;
    const name = `${process}#${call}`;
    const askedAt = open.get(name);
    if (type === "invoke") open.set(name, t);
    else open.delete(name);
    // A writer that timed out may have been granted the lock by an attempt whose reply came too late and whose grant
    // was withdrawn.
    if (askedAt !== undefined && type !== "ok" && code !== "held") unanswered.push(askedAt);
  }
  return [...unanswered, ...open.values()];
}
