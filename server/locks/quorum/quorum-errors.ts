import { REFUSAL_TEXTS } from "../../../lib/contract/refusal.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { AcquireRequest } from "../../formats/lock-requests.ts";
import { createForeignHolder } from "../../formats/observation.ts";
import type { AcquireReply, CurrentHold, RenewReply } from "../../formats/script-replies.ts";
import { findRefusal } from "../../redis/failure.ts";
import { computeMajority, groupLargestFirst, kthSmallest, median } from "../../redis/majority.ts";
import {
  createHeldError,
  createLostError,
  createNotOwnerError,
  createQueueFullError,
  createRefusalError,
} from "../verbs/error-factories.ts";
import { collectReplies, type MasterResults } from "./poll-masters.ts";

type HeldReply = Extract<AcquireReply, { outcome: "held" }>;

/** Whether simultaneous requests split the votes, so that the lock has no known holder. */
export function isVoteSplit(results: MasterResults<AcquireReply>): boolean {
  const replies = collectReplies(results);
  const isAsked = replies.every(({ outcome }) => outcome === "granted" || outcome === "held");
  const most = groupByHolder(replies)[0]?.length ?? 0;
  const majority = computeMajority(results.size);
  return isAsked && replies.length >= majority && most < majority;
}

export function hasTooFewReplies(results: MasterResults<AcquireReply>): boolean {
  return collectReplies(results).length < computeMajority(results.size);
}

/**
 * Whether a master reports that the request id was withdrawn. The request must then continue with another id.
 */
export function isRequestWithdrawn(results: MasterResults<AcquireReply>): boolean {
  return collectReplies(results).some((reply) => reply.outcome === "lost" && reply.why === "withdrawn");
}

export function createQuorumRefusalError(
  key: Key,
  { owner }: AcquireRequest,
  results: MasterResults<AcquireReply>,
): LockkeeperError {
  const replies = collectReplies(results);
  if (hasTooFewReplies(results)) return createTooFewRepliesError(results);
  const [[mostCommon] = []] = groupLargestFirst(
    replies.filter((reply) => reply.outcome !== "granted"),
    ({ outcome }) => outcome,
  );
  const reused = replies.find(({ outcome }) => outcome === "request_id_reused") ?? mostCommon;
  if (reused === undefined || reused.outcome === "held" || reused.outcome === "granted") {
    return createHeldError(key, findCommonHolder(owner, results));
  }
  if (reused.outcome === "lost") return createLostError(key, undefined);
  if (reused.outcome === "queue_full") return createQueueFullError(key, reused.waiting);
  return createRefusalError(key, "token", reused);
}

/** Creates the error for a renewal or re-entry that no majority granted. */
export function createHoldRefusalError(
  key: Key,
  replies: readonly RenewReply[],
  masters: number,
): LockkeeperError {
  const reused = replies.find(({ outcome }) => outcome === "request_id_reused");
  if (reused?.outcome === "request_id_reused") return createRefusalError(key, "token", reused);
  const lost = replies.flatMap((reply) => (reply.outcome === "lost" ? [reply] : []));
  const isOfAnother = replies.some(({ outcome }) => outcome === "not_owner");
  if (isOfAnother && lost.length < computeMajority(masters)) return createNotOwnerError(key);
  const [[now] = []] = groupLargestFirst(lost, ({ holders }) => holders[0]?.token ?? "");
  return createLostError(key, now);
}

/** @param doing a sentence for the error message that states what is known despite the missing replies */
export function createTooFewRepliesError<Reply>(
  results: MasterResults<Reply>,
  doing = "Nothing is held; try again.",
): UnavailableError {
  const answered = collectReplies(results).length;
  const [cause] = [...results.values()].flatMap((result) =>
    "error" in result && result.error ? [result.error] : [],
  );
  const reason = findRefusal(cause);
  const refusal =
    reason === undefined ? "" : ` ${REFUSAL_TEXTS[reason].cause}. ${REFUSAL_TEXTS[reason].remedy}.`;
  const facts = reason === undefined ? {} : { reason };
  const detail = `${describeAnswerCount(answered, results.size)}${refusal} ${doing}`;
  return new UnavailableError(detail, { cause }, facts);
}

export function createMaybeExecutedError<Reply>(results: MasterResults<Reply>): UnknownOutcomeError {
  const answered = collectReplies(results).length;
  return new UnknownOutcomeError(
    `${describeAnswerCount(answered, results.size)} Others may have executed this. Repeat the request with the same Idempotency-Key, or read the lock.`,
  );
}

function describeAnswerCount(answered: number, masters: number): string {
  return `${answered} of the ${masters} masters of the quorum replied in time; ${computeMajority(masters)} are required.`;
}

function groupByHolder(replies: readonly AcquireReply[]): [HeldReply, ...HeldReply[]][] {
  const held = replies.flatMap((reply) => (reply.outcome === "held" ? [reply] : []));
  return groupLargestFirst(held, ({ holders }) => holders[0]?.token ?? "");
}

/** Returns the holder that most masters report, and the time until the lock may be free on a majority. */
function findCommonHolder(owner: string, results: MasterResults<AcquireReply>): CurrentHold {
  const replies = collectReplies(results);
  const freeMs = kthSmallest(replies.map(computeFreeInMs), computeMajority(results.size));
  const [group] = groupByHolder(replies);
  const named = group && groupLargestFirst(group, ({ holders }) => holders[0]?.fence ?? "")[0]?.[0];
  const asOf = median(replies.flatMap((reply) => ("asOf" in reply ? [reply.asOf] : [])));
  return {
    asOf,
    remainingMs: Number.isFinite(freeMs) ? freeMs : null,
    holders: named?.holders ?? toEarlierTry(owner, replies),
  };
}

/**
 * Returns the request itself as the holder if votes of its earlier attempt block the new votes. Otherwise returns an
 * empty list.
 */
function toEarlierTry(owner: string, replies: readonly AcquireReply[]): CurrentHold["holders"] {
  const earlier = replies.find((reply) => reply.outcome === "granted" && reply.how === "repeated");
  if (earlier?.outcome !== "granted") return [];
  const { token, count, fence } = earlier;
  return [createForeignHolder(token, { owner, count, fence })];
}

function computeFreeInMs(reply: AcquireReply): number {
  if (reply.outcome === "granted") return reply.how === "acquired" ? 0 : reply.remainingMs;
  return reply.outcome === "held"
    ? (reply.remainingMs ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}
