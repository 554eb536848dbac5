import type { GrantedReply } from "../../formats/script-replies.ts";
import { computeMajority, kthLargest, kthSmallest, median } from "../../redis/majority.ts";

/** A hold as one master stores it. */
type MasterHold = Omit<GrantedReply, "outcome" | "how">;

/**
 * Combines the copies of one hold on several masters; returns `undefined` if there is no copy. `remainingMs` and
 * `leaseMs` are the largest values that a majority of the masters reaches. If fewer masters have a copy, they are the
 * largest values that all copies reach. `remainingMs` is -1 if there is no TTL.
 */
export function findCommonHold(holds: readonly MasterHold[], masters: number): MasterHold | undefined {
  const [first] = holds;
  if (first === undefined) return undefined;
  const k = Math.min(holds.length, computeMajority(masters));
  const remainingMs = kthLargest(
    holds.map((hold) => (hold.remainingMs < 0 ? Number.POSITIVE_INFINITY : hold.remainingMs)),
    k,
  );
  return {
    token: first.token,
    fence: first.fence,
    // A master without the companion does not know the owner.
    owner: holds.find(({ owner }) => owner !== "")?.owner ?? "",
    count: kthSmallest(
      holds.map(({ count }) => count),
      k,
    ),
    leaseMs: kthLargest(
      holds.map(({ leaseMs }) => leaseMs),
      k,
    ),
    remainingMs: Number.isFinite(remainingMs) ? remainingMs : -1,
    asOf: median(holds.map(({ asOf }) => asOf)),
  };
}

/**
 * Assesses a hold by the number of masters that have it. `held`: a majority of the masters has the hold. `lost`: no
 * majority can have it, regardless of the missing replies. `unsure`: the missing replies can change the result.
 */
export function assessMajority(votes: number, answered: number, masters: number): "held" | "lost" | "unsure" {
  const majority = computeMajority(masters);
  if (votes >= majority) return "held";
  return votes + masters - answered < majority ? "lost" : "unsure";
}
