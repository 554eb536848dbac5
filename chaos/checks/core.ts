import { linearize } from "./linearize.ts";
import type { Call } from "./lock-calls.ts";
import { anyLock, FREE, type Lease, type Lock, lockModel } from "./lock-model.ts";

/** So small a history is searched at once; what takes longer is left as it is. */
const STEPS_MAX = 20_000;
const FIRST_LOOK = 4;

/** A stretch of a history, and what the lock may have been at its beginning. */
interface Stretch {
  /** Those whose answers count, in the order of these. */
  readonly told: readonly Call[];
  /** All that may have happened at the time. */
  readonly around: readonly Call[];
  readonly first: readonly Lock[];
}

/**
 * The fewest calls that no order fits, up to one that is stuck: of all others at the time it is only known that they may
 * have happened. It looks at the last few first, whatever came before them, and then at more.
 */
export function coreOf(calls: readonly Call[], stuck: Call, leases: readonly Lease[]): readonly Call[] {
  const around = calls.filter(({ call }) => call <= stuck.answer);
  const told = around
    .filter(({ was, answer }) => was === "done" && answer <= stuck.answer)
    .sort((one, other) => one.answer - other.answer);
  for (let size = FIRST_LOOK; size < told.length; size *= 2) {
    const last = lastOf({ told, around, first: [] }, size, leases);
    const core = fewestOf(last, leases);
    if (core !== undefined) return core;
    const highest = highestBefore(last, told);
    const above = { ...last, first: anyLock(last.around.map(ownerOf), leases, highest?.rank) };
    const rest = highest === undefined ? undefined : fewestOf(above, leases);
    if (highest !== undefined && rest !== undefined) return [highest, ...rest];
  }
  return fewestOf({ told, around, first: [FREE] }, leases) ?? [stuck];
}

function lastOf({ told, around }: Stretch, size: number, leases: readonly Lease[]): Stretch {
  const last = told.slice(-size);
  const from = Math.min(...last.map(({ call }) => call));
  const then = around.filter(({ answer }) => answer >= from);
  return { told: last, around: then, first: anyLock(then.map(ownerOf), leases) };
}

const ownerOf = ({ entries }: Call) => entries[0]?.owner ?? "";

/** What was granted the highest fence before: none below it comes after, whatever else happened. */
function highestBefore({ told }: Stretch, all: readonly Call[]): Call | undefined {
  const from = Math.min(...told.map(({ call }) => call));
  const before = all.filter(({ answer, rank }) => answer < from && rank !== undefined);
  return before.reduce<Call | undefined>(
    (one, other) => ((one?.rank ?? -1n) < (other.rank ?? 0n) ? other : one),
    undefined,
  );
}

/** Each of them is needed; undefined: an order fits them, or it would take long to see. */
function fewestOf(stretch: Stretch, leases: readonly Lease[]): readonly Call[] | undefined {
  if (!isImpossible(stretch, stretch.told, leases)) return undefined;
  let kept = stretch.told;
  for (let size = kept.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const fewer = kept.toSpliced(at, size);
      if (isImpossible(stretch, fewer, leases)) kept = fewer;
      else at += size;
    }
  }
  return kept;
}

function isImpossible({ around, first }: Stretch, told: readonly Call[], leases: readonly Lease[]): boolean {
  const counts = new Set(told);
  const operations = around.flatMap((call): Call[] => {
    if (counts.has(call)) return [call];
    return call.does === "looks" ? [] : [{ ...call, was: "maybe" }];
  });
  const model = { ...lockModel(leases), first };
  return linearize(operations, model, STEPS_MAX).outcome === "impossible";
}
