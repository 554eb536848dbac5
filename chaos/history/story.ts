import { FAULTS } from "../faults/known.ts";
import { type Claim, claimsOf } from "./claims.ts";
import type { Entry } from "./entry.ts";

/** A stretch of time. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface FaultSpan extends Span {
  readonly fault: string;
  readonly target: string;
  readonly loses: "data" | "nothing";
}

export interface Stall extends Span {
  readonly process: string;
}

/** A history, with what can be said of it at a glance. */
export interface Story {
  readonly history: readonly Entry[];
  readonly claims: readonly Claim[];
  readonly faults: readonly FaultSpan[];
  readonly stalls: readonly Stall[];
  /** The last fault was healed. */
  readonly calmAt: number;
}

export function storyOf(history: readonly Entry[]): Story {
  const end = history.at(-1)?.t ?? 0;
  return {
    history,
    claims: claimsOf(history),
    faults: faultsOf(history, end),
    stalls: history
      .filter(({ op }) => op === "stall")
      .map(({ process, t, forMs = 0 }) => ({ process, from: t, to: t + forMs * 1_000_000 })),
    calmAt: history.find(({ op }) => op === "calm")?.t ?? end,
  };
}

function faultsOf(history: readonly Entry[], end: number): FaultSpan[] {
  const about = history.filter(({ op }) => op === "fault");
  return about.flatMap((entry, at) => {
    const { type, fault = "", target = "" } = entry;
    if (type !== "invoke") return [];
    const healed = about.slice(at).find((e) => e.type === "ok" && e.fault === fault && e.target === target);
    const loses = FAULTS.get(fault)?.loses ?? "nothing";
    return [{ fault, target, loses, from: entry.t, to: healed?.t ?? end }];
  });
}

export function touches(one: Span, other: Span): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** Faults after which a grant of that time may be given to somebody else, too. */
export function lossesIn({ faults }: Story, span: Span): FaultSpan[] {
  return faults.filter((fault) => fault.loses === "data" && touches(fault, span));
}
