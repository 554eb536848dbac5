import { linearize } from "./linearize.ts";
import { UNACKNOWLEDGED } from "./lock-calls.ts";
import type { Call } from "./lock-losses.ts";
import { createLockModel, FREE, type Lease, type Lock, listPossibleLocks } from "./lock-model.ts";

/** Limit of steps, so that small histories are reduced at once. A longer search leaves the history as it is. */
const STEPS_MAX = 20_000;
const FIRST_WINDOW_SIZE = 4;

/** A part of a history, and the possible states of the lock at its start. */
interface HistoryWindow {
  readonly until: number;
  /** Operations that happened. */
  readonly certain: readonly Call[];
  /** Operations that may have happened in that time. */
  readonly candidates: readonly Call[];
  readonly leases: readonly Lease[];
  /** The largest fence before it; undefined at the start of the history. */
  readonly above: bigint | undefined;
}

/**
 * Finds the smallest set of calls up to the stuck one that is inconsistent with every order, if all other calls are
 * treated only as possible. It starts with the last few calls, whatever came before them, and then adds more.
 */
export function findMinimalCore(
  calls: readonly Call[],
  stuck: Call,
  leases: readonly Lease[],
): readonly Call[] {
  const around = calls.filter(({ call }) => call <= stuck.answer);
  // An open call with a smaller rank may be the reason.
  const told = around
    .filter(({ was, answer, rank }) => was === "done" && (answer <= stuck.answer || rank !== undefined))
    .sort((one, other) => one.call - other.call);
  const whole = { until: stuck.answer, certain: told, candidates: around, leases, above: undefined };
  const since = told.length - told.indexOf(stuck);
  for (let size = FIRST_WINDOW_SIZE; since + size < told.length; size *= 2) {
    const last = sliceLast(whole, since + size);
    const core = findFewestCalls(last);
    if (core !== undefined) return core;
    const highest = findHighestBefore(last, told);
    const rest = highest && findFewestCalls({ ...last, above: highest.rank });
    if (highest !== undefined && rest !== undefined) return [highest, ...rest];
  }
  return findFewestCalls(whole) ?? [stuck];
}

function sliceLast(whole: HistoryWindow, size: number): HistoryWindow {
  const told = whole.certain.slice(-size);
  const from = told[0]?.call ?? 0;
  return {
    ...whole,
    certain: told,
    candidates: whole.candidates.filter(({ answer }) => answer >= from),
    above: 0n,
  };
}

/** Finds the grant with the largest fence before the window. No smaller fence may follow, whatever else happened. */
function findHighestBefore({ certain: told }: HistoryWindow, all: readonly Call[]): Call | undefined {
  const from = told[0]?.call ?? 0;
  const before = all.filter(({ answer, rank }) => answer < from && rank !== undefined);
  return before.reduce<Call | undefined>(
    (one, other) => ((one?.rank ?? -1n) < (other.rank ?? 0n) ? other : one),
    undefined,
  );
}

/**
 * Removes calls that are not needed for the contradiction. Undefined if there is none, or if the search would take too
 * long.
 */
function findFewestCalls(stretch: HistoryWindow): readonly Call[] | undefined {
  if (!isImpossible(stretch, stretch.certain)) return undefined;
  let kept = stretch.certain;
  for (let size = kept.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const fewer = kept.toSpliced(at, size);
      if (isImpossible(stretch, fewer)) kept = fewer;
      else at += size;
    }
  }
  return kept;
}

function isImpossible(
  { until, candidates: around, leases, above }: HistoryWindow,
  told: readonly Call[],
): boolean {
  const counts = new Set(told);
  const tokens = new Set(told.map(getToken));
  const operations = around.flatMap((call) => (counts.has(call) ? [call] : listPossibleCalls(call, tokens)));
  const first: readonly Lock[] = above === undefined ? [FREE] : listPossibleLocks([...tokens], leases, above);
  const model = { ...createLockModel(leases), first };
  return linearize(operations, model, STEPS_MAX, until).outcome === "impossible";
}

const getToken = ({ entries }: Call) => entries[0]?.token ?? "";

/**
 * Lists what a call may have done if it is not known to have happened. A call about another hold can at most have
 * acquired the lock.
 */
function listPossibleCalls(call: Call, tokens: ReadonlySet<string>): Call[] {
  if (call.does === "looks") return [];
  const token = getToken(call);
  if (token === "" || tokens.has(token)) return [{ ...call, was: "maybe" }];
  const { rank: _rank, ...rest } = call;
  return call.entries[0]?.op === "acquire" ? [{ ...rest, ...UNACKNOWLEDGED, was: "maybe" }] : [];
}
