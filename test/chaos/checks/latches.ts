import { type AnalyzedHistory, isTouching, type Span } from "../history/analyzed-history.ts";
import { groupBy } from "../history/claims.ts";
import { findUndisturbed, listDisturbances } from "../history/disturbances.ts";
import { type Entry, NS_PER_MS, toMilliseconds } from "../history/entry.ts";
import { findDataLosses } from "../history/losses.ts";
import { listWaits, type Wait } from "../history/waits.ts";
import { LATCH_COUNT } from "../locks-under-test.ts";
import { type Check, createViolation, type Violation } from "./check.ts";
import { createLatchModel, type LatchCall, listLatchCalls, OPS } from "./latch-calls.ts";
import { linearize, type Outcome } from "./linearize.ts";
import { clipCalls, listStableSpans } from "./stable-spans.ts";

const STEPS_MAX = 3_000_000;
/** Maximum time in milliseconds until a waiter has read the latch, if no fault delays it. */
const LOOK_MS = 400;
/** Maximum time in milliseconds until the message that a latch was opened wakes its waiters, without faults. */
const WAKE_MS = 400;
/** Time in milliseconds after a fault in which waiters may still be reconnecting. */
const BREATH_MS = 3000;
/**
 * Maximum time in milliseconds until a waiter that receives no message reads the latch again. The interval is 2 s, plus
 * slack.
 */
const LOOK_AGAIN_MS = 3000;

/**
 * C9: the calls on a latch are consistent with one order of events. Waits end only while the latch is open. A client
 * that was waiting when the latch was opened wakes, even if the latch has been closed again since.
 */
export const checkLatches: Check = (history) => {
  const latches = groupBy(
    history.entries.filter(({ op }) => OPS.includes(op)),
    ({ lock = "" }) => lock,
  );
  const waits = groupBy(listWaits(history, "await"), ({ lock }) => lock);
  const judged = [...latches.keys()].flatMap((latch) => judgeSpans(latch, history));
  const wakes = [...latches].map(([latch, calls]) => listWakes(calls, waits.get(latch) ?? [], history));
  const delays = wakes.flatMap(({ delaysMs }) => delaysMs).sort((one, other) => one - other);
  return {
    check: "C9",
    title: "latches",
    violations: [...judged.flatMap(listViolations), ...wakes.flatMap(({ violations }) => violations)],
    undecided: judged
      .filter(({ found }) => found.outcome === "undecided")
      .map(
        ({ latch }) => `whether one order fits the calls of ${latch} was not found out in ${STEPS_MAX} steps`,
      ),
    notes: [latches.size === 0 ? "no latch" : formatNotes(waits, wakes, delays)],
  };
};

interface JudgedLatch {
  readonly latch: string;
  readonly found: Outcome<LatchCall, number>;
}

function judgeSpans(latch: string, history: AnalyzedHistory): JudgedLatch[] {
  const calls = listLatchCalls(latch, history);
  return listStableSpans(history).map((part) => {
    const first = part.begins === "free" ? [0] : Array.from({ length: LATCH_COUNT + 1 }, (_, count) => count);
    return { latch, found: linearize(clipCalls(part, calls), createLatchModel(first), STEPS_MAX) };
  });
}

function listViolations({ found }: JudgedLatch): Violation[] {
  if (found.outcome !== "impossible") return [];
  const { entries } = found.stuck;
  const last = entries.at(-1);
  const counts = [...new Set(found.states)].sort().join(" or ");
  const summary = `${last?.process} ${last?.op} ${last?.code ?? last?.type} count=${last?.count}`;
  return [
    createViolation("C9", `no order of events allows: ${summary}, where the count is ${counts}`, entries),
  ];
}

interface Wakes {
  readonly openings: number;
  readonly delaysMs: readonly number[];
  readonly violations: readonly Violation[];
}

/** A call that opened the latch. The latch was open at some time in this span. */
interface Opening extends Span {
  readonly entry: Entry;
}

function listWakes(calls: readonly Entry[], waits: readonly Wait[], history: AnalyzedHistory): Wakes {
  const openings = listOpenings(calls);
  const delaysMs: number[] = [];
  const violations: Violation[] = [];
  for (const wait of waits) {
    const seen = openings.find(({ from }) => from >= findLookedAt(wait, history));
    if (seen === undefined) continue;
    if (wait.ending === "ok") delaysMs.push(Math.max(0, toMilliseconds(wait.to - seen.to)));
    violations.push(...findSleeper(wait, seen, history));
  }
  return { openings: openings.length, delaysMs, violations };
}

/** Lists the calls that counted down to 0, ordered by their start. */
function listOpenings(calls: readonly Entry[]): Opening[] {
  const asked = new Map<string, Entry>();
  const openings: Opening[] = [];
  for (const entry of calls) {
    const name = `${entry.process}#${entry.call}`;
    if (entry.type === "invoke") asked.set(name, entry);
    const from = asked.get(name)?.t;
    const isOpening = entry.op === "count_down" && entry.type === "ok" && entry.count === 0;
    if (isOpening && from !== undefined) openings.push({ from, to: entry.t, entry });
  }
  return openings.sort((one, other) => one.from - other.from);
}

const findLookedAt = ({ process, from }: Wait, history: AnalyzedHistory) =>
  findUndisturbed(listDisturbances(history, process), from, LOOK_MS);

/** Checks that a waiter that read the latch as closed woke soon after the latch was opened. */
function findSleeper(wait: Wait, opening: Opening, history: AnalyzedHistory): Violation[] {
  const around = { from: opening.from - BREATH_MS * NS_PER_MS, to: opening.to + WAKE_MS * NS_PER_MS };
  const isCalm = !history.faults.some((fault) => isTouching(fault, around));
  const disturbances = listDisturbances(history, wait.process);
  const wokenBy = findUndisturbed(disturbances, opening.to, isCalm ? WAKE_MS : LOOK_AGAIN_MS);
  const askedUntil = wait.from + wait.waitMs * NS_PER_MS;
  // The waiter may have been stopped, killed, or about to give up.
  if (wait.to <= wokenBy || wokenBy > askedUntil || wait.ending === "aborted" || wait.ending === undefined)
    return [];
  const span = { from: wait.from, to: wait.to };
  const isUndone = history.faults.some(
    ({ loses, ...fault }) => loses === "leases" && isTouching(fault, span),
  );
  if (isUndone || findDataLosses(history, span).length > 0) return [];
  const lateMs = toMilliseconds(wait.to - opening.to).toFixed(0);
  const what = `${wait.process} waited for ${lateMs} ms after the latch was opened, and ended with ${wait.ending}`;
  return [createViolation("C9", what, [...wait.entries, opening.entry])];
}

function formatNotes(
  waits: ReadonlyMap<string, readonly Wait[]>,
  wakes: readonly Wakes[],
  delays: readonly number[],
): string {
  const all = [...waits.values()].flat();
  const woken = all.filter(({ ending }) => ending === "ok").length;
  const openings = wakes.reduce((sum, each) => sum + each.openings, 0);
  const pick = (share: number) => (delays[Math.ceil(share * delays.length) - 1] ?? 0).toFixed(1);
  return `${all.length} waits, ${woken} woken, ${openings} openings; woken ${pick(0.5)} ms after the opening in the middle, ${pick(1)} ms at most`;
}
