import { getCurrentMoment } from "../../../lib/client/moment.ts";
import type { RenewRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { RenewReply } from "../../formats/script-replies.ts";
import type { Grant, VerbHold } from "../verbs/contract/grant.ts";
import { toGrant } from "../verbs/error-factories.ts";
import { collectVotes } from "./agreement.ts";
import { assessMajority, findCommonHold } from "./common-hold.ts";
import { collectReplies, type MasterResults, pollMasters } from "./poll-masters.ts";
import { createHoldRefusalError, createTooFewRepliesError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { computeBudgetMs, computeCertainMs, computeValidityMs } from "./time-limits.ts";

/**
 * Renews a hold on the masters that still have it.
 *
 * @throws LockkeeperError lost, not_owner, idempotency_key_reused, unavailable
 */
export async function renewOnMasters(
  masters: readonly QuorumMaster[],
  hold: VerbHold,
  request: RenewRequest,
): Promise<Grant> {
  const sentAt = getCurrentMoment();
  const results = await pollMasters(masters, {
    by: "verbs",
    budgetMs: computeBudgetMs(request.leaseMs),
    call: ({ verbs, channel }) => LOCK_WRITERS.token.renew(verbs, channel, hold.key, request),
    progress: (soFar) => (assessRenewal(soFar, masters.length) === "unsure" ? "open" : "enough"),
  });
  const verdict = assessRenewal(results, masters.length);
  const common = findCommonHold(
    collectVotes(results).map(({ reply }) => reply),
    masters.length,
  );
  if (verdict === "held" && common !== undefined && computeValidityMs(sentAt, common.remainingMs) > 0) {
    // The caller's deadline counts from the start of the request.
    const remainingMs = Math.floor(computeCertainMs(common.remainingMs));
    return toGrant(hold, common.owner || (hold.owner ?? ""), { ...common, remainingMs });
  }
  if (verdict === "lost") throw createHoldRefusalError(hold.key, collectReplies(results), masters.length);
  throw createTooFewRepliesError(
    results,
    "The hold was not renewed on a majority of the masters; it remains until its deadline.",
  );
}

/** Assesses whether a renewal or re-entry succeeded on a majority of the masters. */
export function assessRenewal(results: MasterResults<RenewReply>, masters: number) {
  const known = collectReplies(results).filter(({ outcome }) => outcome !== "unknown");
  const granted = known.filter(({ outcome }) => outcome === "granted");
  return assessMajority(granted.length, known.length, masters);
}
