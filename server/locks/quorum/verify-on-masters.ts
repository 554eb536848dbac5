import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { VerifyReply } from "../../formats/script-replies.ts";
import { computeMajority, median } from "../../redis/majority.ts";
import { ATTEMPT_BUDGET_MS, attempt } from "../verbs/attempt.ts";
import type { VerbHold } from "../verbs/contract/grant.ts";
import type { HoldStatus } from "../verbs/contract/verbs.ts";
import { createNotOwnerError, toGrant } from "../verbs/error-factories.ts";
import { assessMajority, findCommonHold } from "./common-hold.ts";
import { collectReplies, type MasterResults, pollMasters } from "./poll-masters.ts";
import { createTooFewRepliesError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * Checks whether a hold exists on a majority of the masters.
 *
 * @throws LockkeeperError not_owner, unavailable
 */
export async function verifyOnMasters(masters: readonly QuorumMaster[], hold: VerbHold): Promise<HoldStatus> {
  const results = await pollMasters(masters, {
    by: "verbs",
    to: "all",
    budgetMs: ATTEMPT_BUDGET_MS,
    call: ({ verbs }) => attempt(verbs, () => LOCK_WRITERS.token.verify(verbs, hold.key, hold)),
    progress: (soFar) => (assessHold(soFar, masters.length).verdict === "unsure" ? "open" : "enough"),
  });
  const { common, verdict } = assessHold(results, masters.length);
  if (verdict === "unsure") throw createTooFewRepliesError(results, "Nothing was changed; try again.");
  if (verdict === "held" && common !== undefined)
    return { held: true, ...toGrant(hold, common.owner, common) };
  const replies = collectReplies(results);
  const ended = replies.flatMap((reply) => (reply.outcome === "lost" ? [reply.asOf] : []));
  const isOfAnother = replies.some(({ outcome }) => outcome === "not_owner");
  if (isOfAnother && ended.length < computeMajority(masters.length)) throw createNotOwnerError(hold.key);
  return { held: false, asOf: median(ended) };
}

function assessHold(results: MasterResults<VerifyReply>, masters: number) {
  const replies = collectReplies(results);
  const held = replies.flatMap((reply) => (reply.outcome === "held" ? [reply] : []));
  return {
    common: findCommonHold(held, masters),
    verdict: assessMajority(held.length, replies.length, masters),
  };
}
