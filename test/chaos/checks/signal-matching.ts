import type { ConditionWait, Signal } from "../history/condition-calls.ts";

/** Whether the waiter was waiting when the signal was sent, and resumed its hold since. */
export const canUse = ({ fence, resumedFence }: ConditionWait, signal: Pick<Signal, "fence">) =>
  fence < signal.fence && signal.fence < resumedFence;

/** A largest set of pairs of waiters that were woken and the signals that may have woken them. */
export interface Matching {
  readonly waitBySignal: ReadonlyMap<Signal, readonly ConditionWait[]>;
  readonly unmatchedWaits: readonly ConditionWait[];
  /** Signals that woke fewer waiters than their reply states. */
  readonly unusedSignals: readonly Signal[];
}

/**
 * Matches signals with the waiters that they may have woken. A signal is used by the waiters that resumed first among
 * those that it can have woken, which results in the largest number of pairs.
 *
 * @param countMax the number of waiters that a signal with an unknown reply may have woken
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

/** Lists the signals that may be unused instead of this one, if the others woke other waiters than were matched. */
export function listAlternatives(unused: Signal, { waitBySignal }: Matching): readonly Signal[] {
  const found = [unused];
  for (const signal of found) {
    for (const [other, waits] of waitBySignal)
      if (!found.includes(other) && waits.some((wait) => canUse(wait, signal))) found.push(other);
  }
  return found;
}
