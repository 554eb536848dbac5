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

/** Precision of a deadline. */
const SLACK_MS = 5;

/**
 * Finds faults that may have ended a hold without a release: its data was lost since the request, or the clock of a
 * server was set ahead by at least the remaining lease. Empty if no such fault is known.
 */
export function findLosses(story: AnalyzedHistory, { sent, deadline }: Claim, until: number): FaultSpan[] {
  const span = { from: sent, to: until };
  const lost = findDataLosses(story, span);
  if (until < deadline - (getAheadMs(story, span) + SLACK_MS) * NS_PER_MS) return lost;
  const hurried = story.faults.filter(({ steps }) =>
    steps.some((step) => isAhead(step) && isTouching(step, span)),
  );
  return [...new Set([...lost, ...hurried])];
}

/** Finds faults by which a server lost data. */
export function findDataLosses({ faults }: AnalyzedHistory, span: Span): FaultSpan[] {
  return faults.filter((fault) => isDataLoss(fault) && isTouching(fault, span));
}

export function isDataLoss({ loses }: FaultSpan): boolean {
  return loses === "writes" || loses === "data" || loses === "fences";
}

/**
 * Finds faults in the span after which lower fences may be issued. On a quorum there are none: in each majority, a
 * server remembers the last fence, or has a correct clock.
 */
export function findFenceLosses(story: AnalyzedHistory, span: Span): FaultSpan[] {
  if (isQuorum(story)) return [];
  return story.faults.filter((fault) => fault.loses === "fences" && isTouching(fault, span));
}

/** Whether fences always increase. */
export function hasStableFences(story: AnalyzedHistory): boolean {
  return isQuorum(story) || story.faults.every(({ loses }) => loses !== "fences");
}

/** Returns how much earlier a lease in the span may end: the largest step ahead of one server's clock in that time. */
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

/** Returns the first step ahead of any server in the span. */
export function findFirstStepAhead({ faults }: AnalyzedHistory, span: Span): number | undefined {
  const went = faults.flatMap(({ steps }) => steps.filter((step) => isAhead(step) && isTouching(step, span)));
  return went.length === 0 ? undefined : Math.min(...went.map(({ from }) => from));
}

const isAhead = ({ aheadMs }: Step) => aheadMs > 0;
