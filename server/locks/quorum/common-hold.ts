import { computeMajority, groupLargestFirst, kthLargest, kthSmallest, median } from "../../redis/majority.ts";

/** A hold as one master has it. */
export interface MasterHold {
  readonly fence: string | null;
  readonly count: number;
  /** null: no expiry. */
  readonly remainingMs: number | null;
  readonly asOf: number;
}

/** A hold as most masters have it. */
export interface CommonHold extends MasterHold {
  /** How many have it. */
  readonly votes: number;
}

/** What most masters have in common: one hold, which its fence names. undefined where none has any. */
export function findCommonHold(seen: readonly MasterHold[], masters: number): CommonHold | undefined {
  const [group] = groupLargestFirst(seen, ({ fence }) => fence ?? "");
  if (group === undefined) return undefined;
  const k = Math.min(group.length, computeMajority(masters));
  const remainingMs = kthLargest(
    group.map((hold) => hold.remainingMs ?? Number.POSITIVE_INFINITY),
    k,
  );
  return {
    votes: group.length,
    fence: group[0].fence,
    count: kthSmallest(
      group.map(({ count }) => count),
      k,
    ),
    remainingMs: Number.isFinite(remainingMs) ? remainingMs : null,
    asOf: median(group.map(({ asOf }) => asOf)),
  };
}

/** `held`: by a majority. `lost`: whatever those say who did not answer, no majority has it. */
export function assessMajority(votes: number, answered: number, masters: number): "held" | "lost" | "unsure" {
  const majority = computeMajority(masters);
  if (votes >= majority) return "held";
  return votes + masters - answered < majority ? "lost" : "unsure";
}
