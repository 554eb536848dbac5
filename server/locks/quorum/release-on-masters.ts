import { parseReservedOwner } from "../../../lib/contract/actions/reservation.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ReleaseRequest } from "../../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { ReleaseReply } from "../../formats/script-replies.ts";
import { computeMajority, kthSmallest, median } from "../../redis/majority.ts";
import { ATTEMPT_BUDGET_MS, attempt } from "../verbs/attempt.ts";
import type { Released } from "../verbs/contract/grant.ts";
import { createNotOwnerError, createRefusalError } from "../verbs/error-factories.ts";
import { collectReplies, type MasterResult, type MasterResults, pollMasters } from "./poll-masters.ts";
import { createMaybeExecutedError, createTooFewRepliesError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/**
 * Time limit for retries on unreachable masters, in ms. After that, the hold expires on those masters with its lease.
 */
const LEFTOVER_MS = 60_000;

/**
 * Releases one count of a hold on all masters. If the hold no longer exists on a majority of the masters, also removes
 * it from the other masters.
 *
 * @throws LockkeeperError not_owner, idempotency_key_required, idempotency_key_reused, unavailable, unknown_outcome
 */
export async function releaseOnMasters(
  masters: readonly QuorumMaster[],
  key: Key,
  request: ReleaseRequest,
): Promise<Released> {
  const results = await pollMasters(masters, {
    by: "verbs",
    to: "all",
    budgetMs: ATTEMPT_BUDGET_MS,
    call: ({ verbs, channel }) =>
      attempt(verbs, (retryMs) => LOCK_WRITERS.token.release(verbs, channel, key, { ...request, retryMs })),
    progress: (soFar) => (isMajorityKnown(soFar, masters.length) ? "enough" : "open"),
  });
  if (isMajorityKnown(results, masters.length)) {
    const released = toReleased(key, results);
    if (released.count === 0) releaseLeftovers(key, request, released, results);
    return released;
  }
  if ([...results.values()].every(({ state }) => state === "away"))
    throw createTooFewRepliesError(results, "Nothing was done; try again.");
  throw createMaybeExecutedError(results);
}

function isMajorityKnown(results: MasterResults<ReleaseReply>, masters: number): boolean {
  const known = collectReplies(results).filter(({ outcome }) => outcome !== "unknown");
  return known.length >= computeMajority(masters);
}

function toReleased(key: Key, results: MasterResults<ReleaseReply>): Released {
  const replies = collectReplies(results);
  const majority = computeMajority(results.size);
  const reused = replies.find(({ outcome }) => outcome === "request_id_reused");
  if (reused?.outcome === "request_id_reused") throw createRefusalError(key, "token", reused);
  const answered = replies.flatMap((reply) => ("asOf" in reply ? [reply] : []));
  const others = replies.filter(({ outcome }) => outcome === "not_owner").length;
  const without = answered.filter(({ outcome }) => outcome === "not_held").length + others;
  // A majority does not have this principal's hold, and on at least one master the hold belongs to another principal.
  if (others > 0 && without >= majority) throw createNotOwnerError(key);
  const counts = answered.map((reply) => ("count" in reply ? reply.count : 0));
  const counted = replies.find(({ outcome }) => outcome === "request_id_required");
  if (counted?.outcome === "request_id_required" && counts.length < majority)
    throw createRefusalError(key, "token", counted);
  const count = Math.min(kthSmallest(counts, majority), Math.max(...counts));
  // A hold without a majority was already lost, even if a minority of the masters released it now.
  const outcome = without >= majority ? "not_held" : count > 0 ? "still_held" : "released";
  return { outcome, count, asOf: median(answered.map(({ asOf }) => asOf)) };
}

/**
 * Releases the votes that remain of a hold that has ended. A master that was unreachable or missed an earlier release
 * may still have a vote, which would block other clients until the lease expires.
 */
function releaseLeftovers(
  key: Key,
  { token, fence, principal }: ReleaseRequest,
  { outcome }: Released,
  results: MasterResults<ReleaseReply>,
): void {
  // The token identifies the hold even if a master has a different fencing token. This does not apply to reservations,
  // because all reservations of one operator have the same token.
  const isNamed = outcome === "released" && parseReservedOwner(token) === undefined;
  const end = { id: `end:${fence}`, digest: "-", token, fence: isNamed ? undefined : fence, principal };
  for (const [{ verbs, channel }, result] of results) {
    if (hasNothingLeft(result, isNamed)) continue;
    const call = () => LOCK_WRITERS.token.release(verbs, channel, key, { ...end, counts: "all" });
    attempt(verbs, call, { budgetMs: LEFTOVER_MS }).catch(() => undefined);
  }
}

function hasNothingLeft(result: MasterResult<ReleaseReply>, isNamed: boolean): boolean {
  if (result.state !== "answered") return false;
  const { outcome } = result.reply;
  return outcome === "released" || outcome === "not_owner" || (outcome === "not_held" && !isNamed);
}
