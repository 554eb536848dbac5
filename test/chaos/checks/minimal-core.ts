import { linearize } from "./linearize.ts";
import { UNACKNOWLEDGED } from "./lock-calls.ts";
import type { Call } from "./lock-losses.ts";
import { createLockModel, FREE, type Lease, type Lock, listPossibleLocks } from "./lock-model.ts";

/** Maximum number of search steps for reducing a history. If the search takes longer, the history is not reduced. */
const STEPS_MAX = 20_000;
const FIRST_WINDOW_SIZE = 4;

/** A section of a history, with the data that determines the possible states of the lock at its start. */
interface HistoryWindow {
  readonly until: number;
  /** Operations that certainly happened in the window. */
  readonly certain: readonly Call[];
  /** All operations that may have happened in the window. */
  readonly candidates: readonly Call[];
  readonly leases: readonly Lease[];
  /** The largest fence before the window, or `undefined` if the window begins at the start of the history. */
  readonly above: bigint | undefined;
}

/**
 * Finds a minimal set of calls up to the stuck call that is inconsistent with every order while all other calls are
 * only possible. The search starts with the last few calls and any state before them, and then includes more calls.
 */
export function findMinimalCore(
  calls: readonly Call[],
  stuck: Call,
  leases: readonly Lease[],
): readonly Call[] {
  const around = calls.filter(({ call }) => call <= stuck.answer);
  // A call with a rank that is still open can also contribute to the contradiction.
  const certainCalls = around
    .filter(({ was, answer, rank }) => was === "done" && (answer <= stuck.answer || rank !== undefined))
    .sort((one, other) => one.call - other.call);
  const whole = { until: stuck.answer, certain: certainCalls, candidates: around, leases, above: undefined };
  const since = certainCalls.length - certainCalls.indexOf(stuck);
  for (let size = FIRST_WINDOW_SIZE; since + size < certainCalls.length; size *= 2) {
    const last = sliceLast(whole, since + size);
    const core = findFewestCalls(last);
    if (core !== undefined) return core;
    const highest = findHighestBefore(last, certainCalls);
    const rest = highest && findFewestCalls({ ...last, above: highest.rank });
    if (highest !== undefined && rest !== undefined) return [highest, ...rest];
  }
  return findFewestCalls(whole) ?? [stuck];
}

function sliceLast(whole: HistoryWindow, size: number): HistoryWindow {
  const certainCalls = whole.certain.slice(-size);
  const from = certainCalls[0]?.call ?? 0;
  return {
    ...whole,
    certain: certainCalls,
    candidates: whole.candidates.filter(({ answer }) => answer >= from),
    above: 0n,
  };
}

/** Finds the grant with the largest fence before the window. In every possible order, no smaller fence may follow. */
function findHighestBefore({ certain: certainCalls }: HistoryWindow, all: readonly Call[]): Call | undefined {
  const from = certainCalls[0]?.call ?? 0;
  const before = all.filter(({ answer, rank }) => answer < from && rank !== undefined);
  return before.reduce<Call | undefined>(
    (one, other) => ((one?.rank ?? -1n) < (other.rank ?? 0n) ? other : one),
    undefined,
  );
}

/**
 * Removes calls that are not needed for the contradiction. Returns `undefined` if there is no contradiction, or if the
 * search would take too long.
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
  certainCalls: readonly Call[],
): boolean {
  const counts = new Set(certainCalls);
  const tokens = new Set(certainCalls.map(getToken));
  const operations = around.flatMap((call) => (counts.has(call) ? [call] : listPossibleCalls(call, tokens)));
  const first: readonly Lock[] = above === undefined ? [FREE] : listPossibleLocks([...tokens], leases, above);
  const model = { ...createLockModel(leases), first };
  return linearize(operations, model, STEPS_MAX, until).outcome === "impossible";
}

const getToken = ({ entries }: Call) => entries[0]?.token ?? "";

/**
 * Lists the possible effects of a call that may not have been executed. The only possible effect of a call on another
 * hold is an acquire.
 */
function listPossibleCalls(call: Call, tokens: ReadonlySet<string>): Call[] {
  if (call.does === "looks") return [];
  const token = getToken(call);
  if (token === "" || tokens.has(token)) return [{ ...call, was: "maybe" }];
  const { rank: _rank, ...rest } = call;
  return call.entries[0]?.op === "acquire" ? [{ ...rest, ...UNACKNOWLEDGED, was: "maybe" }] : [];
}
