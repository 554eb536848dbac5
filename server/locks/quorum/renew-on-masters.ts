import type { Grant } from "../../../lib/contract/actions/verb.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { LOCK_WRITERS, type RenewRequest } from "../../formats/lock-writer.ts";
import type { RenewReply } from "../../formats/script-replies.ts";
import { groupLargestFirst } from "../../redis/majority.ts";
import {
  createLostError,
  createNotOwnerError,
  createRefusalError,
  toGrant,
} from "../verbs/error-factories.ts";
import { getCurrentMoment } from "../verbs/moment.ts";
import { assessMajority, findCommonHold } from "./common-hold.ts";
import { collectReplies, type MasterAnswers, pollMasters } from "./poll-masters.ts";
import { createTooFewAnswersError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";
import { computeBudgetMs, computeCertainMs, computeValidityMs } from "./time-limits.ts";

/** Prolongs a hold where it still is. @throws LockkeeperError lost, not_owner, not_a_lock, request_id_reused, unavailable */
export async function renewOnMasters(
  masters: readonly QuorumMaster[],
  key: Key,
  request: RenewRequest,
): Promise<Grant> {
  const { owner, leaseMs } = request;
  const sentAt = getCurrentMoment();
  const answers = await pollMasters(masters, {
    by: "verbs",
    budgetMs: computeBudgetMs(leaseMs),
    call: ({ verbs, channel }) => LOCK_WRITERS.token.renew(verbs, channel, key, request),
    progress: (soFar) => (assessRenewal(soFar, masters.length).verdict === "unsure" ? "open" : "enough"),
  });
  const { hold, verdict } = assessRenewal(answers, masters.length);
  const leastMs = hold?.remainingMs ?? 0;
  if (verdict === "held" && hold !== undefined && computeValidityMs(sentAt, leastMs) > 0) {
    // Whoever asks counts from before it asked.
    const remainingMs = Math.floor(computeCertainMs(leastMs));
    return toGrant(key, owner, leaseMs, { ...hold, outcome: "granted", remainingMs });
  }
  if (verdict === "lost") throw createRenewalError(key, owner, collectReplies(answers));
  throw createTooFewAnswersError(
    answers,
    "The hold was prolonged nowhere for certain; it stands until its deadline.",
  );
}

function assessRenewal(answers: MasterAnswers<RenewReply>, masters: number) {
  const known = collectReplies(answers).filter(({ outcome }) => outcome !== "unknown");
  const hold = findCommonHold(
    known.flatMap((reply) => (reply.outcome === "granted" ? [reply] : [])),
    masters,
  );
  return { hold, verdict: assessMajority(hold?.votes ?? 0, known.length, masters) };
}

function createRenewalError(key: Key, owner: string, replies: readonly RenewReply[]) {
  const [[mostCommon] = []] = groupLargestFirst(
    replies.filter(({ outcome }) => outcome !== "granted"),
    ({ outcome }) => outcome,
  );
  if (mostCommon === undefined || mostCommon.outcome === "granted")
    return createLostError(key, owner, undefined);
  if (mostCommon.outcome === "not_owner") return createNotOwnerError(key, owner);
  return mostCommon.outcome === "lost"
    ? createLostError(key, owner, mostCommon)
    : createRefusalError(key, "token", mostCommon);
}
