import { linearize } from "./linearize.ts";
import { UNACKNOWLEDGED } from "./lock-calls.ts";
import type { Call } from "./lock-losses.ts";
import { createLockModel, FREE, type Lease, type Lock, listPossibleLocks } from "./lock-model.ts";

/** So small a history is searched at once; what takes longer is left as it is. */
const STEPS_MAX = 20_000;
const FIRST_WINDOW_SIZE = 4;

/** A stretch of a history, and what the lock may have been at its beginning. */
interface HistoryWindow {
  readonly until: number;
  /** Those that happened. */
  readonly certain: readonly Call[];
  /** All that may have happened at the time. */
  readonly candidates: readonly Call[];
  readonly leases: readonly Lease[];
  /** A fence that was there before; undefined: it is the beginning of the history. */
  readonly above: bigint | undefined;
}

/**
 * The fewest calls that no order fits, up to one that is stuck: of all others at the time it is only known that they may
 * have happened. It looks at the last few first, whatever came before them, and then at more.
 */
export function findMinimalCore(
  calls: readonly Call[],
  stuck: Call,
  leases: readonly Lease[],
): readonly Call[] {
  const around = calls.filter(({ call }) => call <= stuck.answer);
  // One that is open and has the smaller rank may be why nothing fits.
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

/** What was granted the highest fence before: none below it comes after, whatever else happened. */
function findHighestBefore({ certain: told }: HistoryWindow, all: readonly Call[]): Call | undefined {
  const from = told[0]?.call ?? 0;
  const before = all.filter(({ answer, rank }) => answer < from && rank !== undefined);
  return before.reduce<Call | undefined>(
    (one, other) => ((one?.rank ?? -1n) < (other.rank ?? 0n) ? other : one),
    undefined,
  );
}

/** Each of them is needed; undefined: an order fits them, or it would take long to see. */
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

/** What a call may have done that is not known to have happened. One about another hold may have taken the lock at most. */
function listPossibleCalls(call: Call, tokens: ReadonlySet<string>): Call[] {
  if (call.does === "looks") return [];
  const token = getToken(call);
  if (token === "" || tokens.has(token)) return [{ ...call, was: "maybe" }];
  const { rank: _rank, ...rest } = call;
  return call.entries[0]?.op === "acquire" ? [{ ...rest, ...UNACKNOWLEDGED, was: "maybe" }] : [];
}
