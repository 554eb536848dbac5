import { FAULTS } from "../faults/catalog.ts";
import type { Loses } from "../faults/fault.ts";
import { TOPOLOGIES, type TopologyName } from "../servers/topology.ts";
import { buildClaims, type Claim } from "./claims.ts";
import type { Entry } from "./entry.ts";
import { nameAttempts } from "./name-attempts.ts";

/** A period of time. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface FaultSpan extends Span {
  readonly fault: string;
  readonly target: string;
  readonly loses: Loses;
  readonly steps: readonly Step[];
}

/** A step of a wall clock at an unknown time within the span. Negative steps set the clock back. */
export interface Step extends Span {
  readonly aheadMs: number;
}

export interface Stall extends Span {
  readonly process: string;
}

/** A history with the data that the checks use. */
export interface AnalyzedHistory {
  readonly entries: readonly Entry[];
  readonly topology: TopologyName;
  readonly claims: readonly Claim[];
  readonly faults: readonly FaultSpan[];
  readonly stalls: readonly Stall[];
  /** Time at which the last fault was healed, in nanoseconds since the start of the run. */
  readonly calmAt: number;
}

export function analyzeHistory(entries: readonly Entry[]): AnalyzedHistory {
  const history = nameAttempts(entries);
  const end = history.at(-1)?.t ?? 0;
  const begun = history.find(({ op }) => op === "begun");
  return {
    entries: history,
    topology: TOPOLOGIES.find((name) => name === begun?.target) ?? "single",
    claims: buildClaims(history),
    faults: listFaultSpans(history, end),
    stalls: history
      .filter(({ op }) => op === "stall")
      .map(({ process, t, forMs = 0 }) => ({ process, from: t, to: t + forMs * 1_000_000 })),
    calmAt: history.find(({ op }) => op === "calm")?.t ?? end,
  };
}

function listFaultSpans(history: readonly Entry[], end: number): FaultSpan[] {
  const about = history.filter(({ op }) => op === "fault");
  return about.flatMap((entry, at) => {
    const { type, fault = "", target = "" } = entry;
    if (type !== "invoke") return [];
    const own = about.slice(at + 1).filter((e) => e.fault === fault && e.target === target);
    const healed = own.findIndex((e) => e.type === "ok");
    const span = { from: entry.t, to: own[healed]?.t ?? end };
    const loses = FAULTS.get(fault)?.loses ?? "nothing";
    const steps = listSteps(entry, healed < 0 ? own : own.slice(0, healed), span);
    return [{ fault, target, loses, ...span, steps }];
  });
}

/** Lists the clock steps of a fault: one when the fault begins, and the reverse step when it ends. */
function listSteps({ stepMs = 0 }: Entry, between: readonly Entry[], { from, to }: Span): Step[] {
  if (stepMs === 0) return [];
  const begunAt = between.find(({ code }) => code === "begun")?.t ?? to;
  const endsAt = between.find(({ code }) => code === "ends")?.t ?? begunAt;
  return [
    { from, to: begunAt, aheadMs: stepMs },
    { from: endsAt, to, aheadMs: -stepMs },
  ];
}

export function isQuorum({ topology }: Pick<AnalyzedHistory, "topology">): boolean {
  return topology === "quorum";
}

export function isTouching(one: Span, other: Span): boolean {
  return one.from <= other.to && other.from <= one.to;
}
