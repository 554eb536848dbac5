import type { ConditionWait, Signal } from "../history/condition-calls.ts";

/** Returns whether a wait includes the time of the signal, so that the signal may have woken the waiter. */
export const canUse = ({ fence, resumedFence }: ConditionWait, signal: Pick<Signal, "fence">) =>
  fence < signal.fence && signal.fence < resumedFence;

/** A maximum matching of woken waiters and the signals that may have woken them. */
export interface Matching {
  readonly waitBySignal: ReadonlyMap<Signal, readonly ConditionWait[]>;
  readonly unmatchedWaits: readonly ConditionWait[];
  /** Signals with fewer matched waiters than their reply states. */
  readonly unusedSignals: readonly Signal[];
}

/**
 * Matches signals with the waiters that they may have woken. Of the waiters that a signal may have woken, those that
 * resumed first are matched with the signal. This results in the maximum number of pairs.
 *
 * @param countMax maximum number of waiters that a signal without a known reply may have woken
 */
export function matchSignals(
  waits: readonly ConditionWait[],
  signals: readonly Signal[],
  countMax: number,
): Matching {
  const left = waits.toSorted((one, other) => one.fence - other.fence);
  const waitBySignal = new Map<Signal, ConditionWait[]>();
  const unmatchedWaits: ConditionWait[] = [];
  let open: ConditionWait[] = [];
  let at = 0;
  for (const signal of signals.toSorted((one, other) => one.fence - other.fence)) {
    for (let next = left[at]; next !== undefined && next.fence < signal.fence; next = left[++at])
      open.push(next);
    const over = open.filter(({ resumedFence }) => resumedFence <= signal.fence);
    unmatchedWaits.push(...over);
    open = open.filter((wait) => !over.includes(wait));
    open.sort((one, other) => one.resumedFence - other.resumedFence);
    waitBySignal.set(signal, open.splice(0, signal.count ?? countMax));
  }
  unmatchedWaits.push(...open, ...left.slice(at));
  const unusedSignals = signals.filter(
    (signal) => signal.count !== undefined && (waitBySignal.get(signal)?.length ?? 0) < signal.count,
  );
  return { waitBySignal, unmatchedWaits, unusedSignals };
}

/**
 * Lists the signals that may be the unused one, including the given signal. The matching is not unique, so another
 * signal may be unused in an equally large matching.
 */
export function listAlternatives(unused: Signal, { waitBySignal }: Matching): readonly Signal[] {
  const found = [unused];
  for (const signal of found) {
    for (const [other, waits] of waitBySignal)
      if (!found.includes(other) && waits.some((wait) => canUse(wait, signal))) found.push(other);
  }
  return found;
}
