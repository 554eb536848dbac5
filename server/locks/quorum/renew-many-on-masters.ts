import { getCurrentMoment } from "../../../lib/client/moment.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import { computeMajority, kthLargest } from "../../redis/majority.ts";
import type { RenewableHold, RenewalResult } from "../verbs/backend.ts";
import { renewTogether } from "../verbs/renew-together.ts";
import { assessMajority } from "./common-hold.ts";
import { collectReplies, type MasterResults, pollMasters } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { computeCertainMs, computeValidityMs } from "./time-limits.ts";

/**
 * Renews the holds of a process on all masters, with one script call per master. A hold is lost only if no majority of
 * the masters can still have it.
 */
export async function renewManyOnMasters(
  masters: readonly QuorumMaster[],
  holds: readonly RenewableHold[],
  tryMs: number,
): Promise<RenewalResult[]> {
  const sentAt = getCurrentMoment();
  const at = holds.map((_, index) => index);
  const results = await pollMasters(masters, {
    by: "renewals",
    budgetMs: tryMs,
    call: ({ renewals, channel }) =>
      renewTogether(holds, (some) => LOCK_WRITERS.token.renewMany(renewals, channel, some)),
    progress: (soFar) => (at.some((index) => stateOf(soFar, index).verdict === "unsure") ? "open" : "enough"),
  });
  return at.map((index) => {
    const { verdict, remaining } = stateOf(results, index);
    if (verdict === "lost") return null;
    const leastMs = kthLargest(remaining, computeMajority(masters.length));
    // The caller's deadline counts from the start of the request.
    return verdict === "held" && computeValidityMs(sentAt, leastMs) > 0
      ? computeCertainMs(leastMs)
      : undefined;
  });

  function stateOf(soFar: MasterResults<RenewalResult[]>, index: number) {
    const answered = collectReplies(soFar).flatMap(
      (renewed) => renewed[index] ?? (renewed[index] === null ? [null] : []),
    );
    const remaining = answered.filter((each) => each !== null);
    return { remaining, verdict: assessMajority(remaining.length, answered.length, masters.length) };
  }
}
