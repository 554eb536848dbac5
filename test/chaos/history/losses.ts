import {
  type AnalyzedHistory,
  type FaultSpan,
  isQuorum,
  isTouching,
  type Span,
  type Step,
} from "./analyzed-history.ts";
import type { Claim } from "./claims.ts";
import { NS_PER_MS } from "./entry.ts";

/** Precision of a deadline, in milliseconds. */
const SLACK_MS = 5;

/**
 * Finds faults that may have ended a hold before `until` without a release: data losses, or steps of a server's clock
 * by at least the remaining lease. Returns no faults if none explains the end.
 */
export function findLosses(history: AnalyzedHistory, { sent, deadline }: Claim, until: number): FaultSpan[] {
  const span = { from: sent, to: until };
  const lost = findDataLosses(history, span);
  if (until < deadline - (getAheadMs(history, span) + SLACK_MS) * NS_PER_MS) return lost;
  const hurried = history.faults.filter(({ steps }) =>
    steps.some((step) => isAhead(step) && isTouching(step, span)),
  );
  return [...new Set([...lost, ...hurried])];
}

/** Finds faults in the span by which a server may have lost data. */
export function findDataLosses({ faults }: AnalyzedHistory, span: Span): FaultSpan[] {
  return faults.filter((fault) => isDataLoss(fault) && isTouching(fault, span));
}

export function isDataLoss({ loses }: FaultSpan): boolean {
  return loses === "writes" || loses === "data" || loses === "fences";
}

/**
 * Finds faults in the span after which lower fences may be issued. A quorum has no such faults because in each
 * majority, a server remembers the last fence or has a correct clock.
 */
export function findFenceLosses(history: AnalyzedHistory, span: Span): FaultSpan[] {
  if (isQuorum(history)) return [];
  return history.faults.filter((fault) => fault.loses === "fences" && isTouching(fault, span));
}

/** Returns whether fences always increase under the faults of this history. */
export function hasStableFences(history: AnalyzedHistory): boolean {
  return isQuorum(history) || history.faults.every(({ loses }) => loses !== "fences");
}

/**
 * Returns how much earlier a lease in the span may end because clocks were set ahead, in milliseconds. This is the
 * largest sum of steps for one server.
 */
export function getAheadMs({ faults }: AnalyzedHistory, span: Span): number {
  const ahead = new Map<string, number>();
  for (const { target, steps } of faults) {
    const went = steps.filter((step) => isAhead(step) && isTouching(step, span));
    ahead.set(
      target,
      went.reduce((sum, { aheadMs }) => sum + aheadMs, ahead.get(target) ?? 0),
    );
  }
  return Math.max(0, ...ahead.values());
}

/** Returns the time of the first step ahead of any server's clock in the span, or `undefined` if there is none. */
export function findFirstStepAhead({ faults }: AnalyzedHistory, span: Span): number | undefined {
  const went = faults.flatMap(({ steps }) => steps.filter((step) => isAhead(step) && isTouching(step, span)));
  return went.length === 0 ? undefined : Math.min(...went.map(({ from }) => from));
}

const isAhead = ({ aheadMs }: Step) => aheadMs > 0;
