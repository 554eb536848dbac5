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

/** A deadline is known to some milliseconds. */
const SLACK_MS = 5;

/**
 * What may have ended a hold by a moment although its holder gave nothing back: its data was taken away since it was
 * asked for, or the clock of a server went ahead by what was left of it. Empty: nothing that we know of.
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

/** Faults by which a server forgot what it was told before. */
export function findDataLosses({ faults }: AnalyzedHistory, span: Span): FaultSpan[] {
  return faults.filter((fault) => isDataLoss(fault) && isTouching(fault, span));
}

export function isDataLoss({ loses }: FaultSpan): boolean {
  return loses === "writes" || loses === "data" || loses === "fences";
}

/**
 * Faults of the time by which fences below earlier ones are handed out. On a quorum there are none: each majority has a
 * server that remembers, or one whose clock is right.
 */
export function findFenceLosses(story: AnalyzedHistory, span: Span): FaultSpan[] {
  if (isQuorum(story)) return [];
  return story.faults.filter((fault) => fault.loses === "fences" && isTouching(fault, span));
}

/** Whether fences rise all the time. */
export function hasStableFences(story: AnalyzedHistory): boolean {
  return isQuorum(story) || story.faults.every(({ loses }) => loses !== "fences");
}

/** By how much earlier a lease of that time may end: what the clock of one server went ahead meanwhile, at most. */
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

/** The first step ahead of that time, of any server. */
export function findFirstStepAhead({ faults }: AnalyzedHistory, span: Span): number | undefined {
  const went = faults.flatMap(({ steps }) => steps.filter((step) => isAhead(step) && isTouching(step, span)));
  return went.length === 0 ? undefined : Math.min(...went.map(({ from }) => from));
}

const isAhead = ({ aheadMs }: Step) => aheadMs > 0;
