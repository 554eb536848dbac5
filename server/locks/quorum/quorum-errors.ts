import type { Key } from "../../../lib/keys/key.ts";
import type { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { UnavailableError, UnknownOutcomeError } from "../../errors/redis-errors.ts";
import type { AcquireRequest } from "../../formats/lock-writer.ts";
import type { AcquireReply, Elsewhere } from "../../formats/script-replies.ts";
import { kthSmallest, largestFirst, majorityOf, median } from "../../redis/majority.ts";
import { heldBy, lostBy, queueFull, refusal } from "../verbs/error-factories.ts";
import { type Answers, repliesOf } from "./poll-masters.ts";

/** What the masters said together, where they gave no hold. */

type Held = Extract<AcquireReply, { outcome: "held" }>;

/** Whether nobody is known to hold the lock: its votes went to several, as when many ask for it in one moment. */
export function isSplit(answers: Answers<AcquireReply>): boolean {
  const replies = repliesOf(answers);
  const isAsked = replies.every(({ outcome }) => outcome === "granted" || outcome === "held");
  const most = heldGroups(replies)[0]?.length ?? 0;
  const majority = majorityOf(answers.size);
  return isAsked && replies.length >= majority && most < majority;
}

export function isTooFew(answers: Answers<AcquireReply>): boolean {
  return repliesOf(answers).length < majorityOf(answers.size);
}

/** Whether the same request goes on under another id: this one was taken back before. */
export function isWithdrawn(answers: Answers<AcquireReply>): boolean {
  return repliesOf(answers).some((reply) => reply.outcome === "lost" && reply.why === "withdrawn");
}

export function refusalOf(
  key: Key,
  { owner }: AcquireRequest,
  answers: Answers<AcquireReply>,
): LockkeeperError {
  const replies = repliesOf(answers);
  if (isTooFew(answers)) return tooFew(answers);
  const [[said] = []] = largestFirst(
    replies.filter((reply) => reply.outcome !== "granted"),
    ({ outcome }) => outcome,
  );
  const reused = replies.find(({ outcome }) => outcome === "request_id_reused") ?? said;
  if (reused === undefined || reused.outcome === "held" || reused.outcome === "granted") {
    return heldBy(key, owner, holderOf(owner, answers));
  }
  if (reused.outcome === "lost") return lostBy(key, owner, undefined);
  if (reused.outcome === "queue_full") return queueFull(key, reused.waiting);
  return refusal(key, "token", reused);
}

/** @param doing what is certain although too few answered */
export function tooFew<Reply>(
  answers: Answers<Reply>,
  doing = "Nothing is held; try again.",
): UnavailableError {
  const answered = repliesOf(answers).length;
  const [cause] = [...answers.values()].flatMap((answer) =>
    "error" in answer && answer.error ? [answer.error] : [],
  );
  return new UnavailableError(`${countText(answered, answers.size)} ${doing}`, { cause });
}

export function maybeDone<Reply>(answers: Answers<Reply>): UnknownOutcomeError {
  const answered = repliesOf(answers).length;
  return new UnknownOutcomeError(
    `${countText(answered, answers.size)} Others may have carried this out; repeat the request with the same Idempotency-Key, or look at the lock.`,
  );
}

function countText(answered: number, masters: number): string {
  return `${answered} of the ${masters} masters of the quorum answered in time, and ${majorityOf(masters)} are needed.`;
}

function heldGroups(replies: readonly AcquireReply[]): [Held, ...Held[]][] {
  const held = replies.flatMap((reply) => (reply.outcome === "held" ? [reply] : []));
  return largestFirst(held, ({ holders }) => holders[0]?.owner ?? "");
}

/** The holder that most masters name, and how long it takes until a majority may be free. */
function holderOf(owner: string, answers: Answers<AcquireReply>): Elsewhere {
  const replies = repliesOf(answers);
  const freeMs = kthSmallest(replies.map(freeInMs), majorityOf(answers.size));
  const [group] = heldGroups(replies);
  const named = group && largestFirst(group, ({ holders }) => holders[0]?.fence ?? "")[0]?.[0];
  const asOf = median(replies.flatMap((reply) => ("asOf" in reply ? [reply.asOf] : [])));
  return {
    asOf,
    remainingMs: Number.isFinite(freeMs) ? freeMs : null,
    holders: named?.holders ?? itself(owner, replies),
    ...(named?.by === undefined ? {} : { by: named.by }),
  };
}

/** Votes of an older hold of the same owner stand in the way of those that were given anew. */
function itself(owner: string, replies: readonly AcquireReply[]): Elsewhere["holders"] {
  const old = replies.find((reply) => reply.outcome === "granted" && reply.how !== "acquired");
  if (old?.outcome !== "granted") return [];
  const { fence, count } = old;
  return [{ owner, count, fence, sinceMs: null, leaseMs: null, record: undefined, marginMs: 0, seq: 0 }];
}

function freeInMs(reply: AcquireReply): number {
  if (reply.outcome === "granted") return reply.how === "acquired" ? 0 : reply.remainingMs;
  return reply.outcome === "held"
    ? (reply.remainingMs ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}
