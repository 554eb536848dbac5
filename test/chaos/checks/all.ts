import type { AnalyzedHistory } from "../history/analyzed-history.ts";
import type { Verdict } from "./check.ts";
import { checkConditions } from "./conditions.ts";
import { checkCounts } from "./counts.ts";
import { checkFairness } from "./fairness.ts";
import { checkFenceOrder } from "./fence-order.ts";
import { checkFencedRegister } from "./fenced-register.ts";
import { checkLatches } from "./latches.ts";
import { checkLinearizability } from "./linearizable.ts";
import { checkLiveness } from "./liveness.ts";
import { checkOverlap } from "./overlap.ts";
import { checkSignal } from "./signal.ts";

export const CHECKS = [
  checkOverlap,
  checkFenceOrder,
  checkFencedRegister,
  checkLinearizability,
  checkLiveness,
  checkFairness,
  checkSignal,
  checkCounts,
  checkLatches,
  checkConditions,
];

export function runChecks(history: AnalyzedHistory): Verdict[] {
  return CHECKS.map((check) => check(history));
}
