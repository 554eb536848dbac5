import type { Released } from "../../../lib/contract/actions/verb.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { LOCK_WRITERS, type ReleaseRequest } from "../../formats/lock-writer.ts";
import type { ReleaseReply } from "../../formats/script-replies.ts";
import { computeMajority, groupLargestFirst, kthSmallest, median } from "../../redis/majority.ts";
import { ATTEMPT_BUDGET_MS, attempt } from "../verbs/attempt.ts";
import { createNotALockError, createNotOwnerError, createRefusalError } from "../verbs/error-factories.ts";
import { collectReplies, type MasterAnswer, type MasterAnswers, pollMasters } from "./poll-masters.ts";
import { createMaybeExecutedError, createTooFewAnswersError } from "./quorum-errors.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** As long as masters remember a request. */
const REMEMBERED_MS = 120_000;
/** What a master that is away for longer has left of a hold ends with its lease. */
const LEFTOVER_MS = 60_000;

interface Unfinished {
  readonly request: ReleaseRequest;
  readonly sentAt: number;
}

/**
 * Gives holds back everywhere. One that too few answered goes on under the same id when the owner releases again: those
 * who let go already do not count it twice.
 */
export class QuorumReleases {
  readonly #unfinished = new Map<string, Unfinished>();

  constructor(private readonly masters: readonly QuorumMaster[]) {}

  /** @throws LockkeeperError not_owner, not_a_lock, request_id_reused, unavailable, unknown_outcome */
  async release(key: Key, releaseRequest: ReleaseRequest, named: "by_caller" | "by_us"): Promise<Released> {
    const name = `${releaseRequest.principal ?? ""}\n${releaseRequest.owner}\n${releaseRequest.reservation?.reservedMs ?? ""}\n${key}`;
    const { request, sentAt } = (named === "by_us" && this.#takeUnfinished(name)) || {
      request: releaseRequest,
      sentAt: performance.now(),
    };
    const since = request === releaseRequest ? undefined : sentAt;
    const answers = await pollMasters(this.masters, {
      by: "verbs",
      to: "all",
      budgetMs: ATTEMPT_BUDGET_MS,
      call: (master) => releaseOnMaster(master, key, request, since),
      progress: (soFar) => (isMajorityKnown(soFar, this.masters.length) ? "enough" : "open"),
    });
    if (isMajorityKnown(answers, this.masters.length)) {
      const released = toReleased(key, request.owner, answers);
      if (released.count === 0) releaseLeftovers(key, request, answers);
      return released;
    }
    if ([...answers.values()].every(({ state }) => state === "away")) {
      throw createTooFewAnswersError(answers, "Nothing was done; try again.");
    }
    this.#storeUnfinished(name, { request, sentAt });
    throw createMaybeExecutedError(answers);
  }

  #storeUnfinished(name: string, unfinished: Unfinished): void {
    for (const [other, { sentAt }] of this.#unfinished)
      if (!isRemembered(sentAt)) this.#unfinished.delete(other);
    this.#unfinished.set(name, unfinished);
  }

  #takeUnfinished(name: string): Unfinished | undefined {
    const unfinished = this.#unfinished.get(name);
    this.#unfinished.delete(name);
    return unfinished && isRemembered(unfinished.sentAt) ? unfinished : undefined;
  }
}

const isRemembered = (sentAt: number) => performance.now() - sentAt < REMEMBERED_MS;

function releaseOnMaster(
  { verbs, channel }: QuorumMaster,
  key: Key,
  request: ReleaseRequest,
  since: number | undefined,
): Promise<ReleaseReply> {
  return attempt(verbs, (retryMs) => {
    const firstMs = since === undefined ? retryMs : Math.ceil(performance.now() - since);
    return LOCK_WRITERS.token.release(verbs, channel, key, { ...request, retryMs: firstMs });
  });
}

const isConclusive = ({ outcome }: ReleaseReply) => outcome !== "unknown";

function isMajorityKnown(answers: MasterAnswers<ReleaseReply>, masters: number): boolean {
  return collectReplies(answers).filter(isConclusive).length >= computeMajority(masters);
}

function toReleased(key: Key, owner: string, answers: MasterAnswers<ReleaseReply>): Released {
  const replies = collectReplies(answers);
  const majority = computeMajority(answers.size);
  const reused = replies.find(({ outcome }) => outcome === "request_id_reused");
  if (reused?.outcome === "request_id_reused") throw createRefusalError(key, "token", reused);
  const strange = replies.flatMap((reply) => (reply.outcome === "not_a_lock" ? [reply.type] : []));
  if (strange.length >= majority) throw createNotALockError(key, strange[0] ?? "none", "token");
  const answered = replies.flatMap((reply) => ("asOf" in reply ? [reply] : []));
  const others = replies.filter(({ outcome }) => outcome === "not_owner").length;
  const without = answered.filter(({ outcome }) => outcome === "not_held").length + strange.length + others;
  // What a majority did not let go of was no hold of this principal's, and somewhere another one's stands.
  if (others > 0 && without >= majority) throw createNotOwnerError(key, owner);
  const counts = answered.map((reply) => (reply.outcome === "released" ? reply.count : 0));
  return {
    ...toKeyFields(key),
    owner,
    // What a majority did not have was no hold any more, although others let go of the rest of it.
    outcome: without >= majority ? "not_held" : "released",
    count: Math.min(kthSmallest(counts, majority), Math.max(...counts)),
    asOf: median(answered.map(({ asOf }) => asOf)),
  };
}

/**
 * The hold is over. A master that was away, or that missed an earlier release, may have something of it left that would
 * keep others off until the lease ends. It is named by its fence, so no later hold of the same owner is touched.
 */
function releaseLeftovers(
  key: Key,
  { owner, principal }: ReleaseRequest,
  answers: MasterAnswers<ReleaseReply>,
): void {
  const fences = collectReplies(answers).flatMap((reply) =>
    reply.outcome === "released" && reply.fence !== null ? [reply.fence] : [],
  );
  const [[fence] = []] = groupLargestFirst(fences, (each) => each);
  if (fence === undefined) return;
  for (const [{ verbs, channel }, answer] of answers) {
    if (isFullyReleased(answer)) continue;
    const end = { id: `end:${fence}`, digest: "-", owner, principal, fence };
    const call = () => LOCK_WRITERS.token.release(verbs, channel, key, end);
    attempt(verbs, call, { budgetMs: LEFTOVER_MS }).catch(() => undefined);
  }
}

function isFullyReleased(answer: MasterAnswer<ReleaseReply>): boolean {
  if (answer.state !== "answered" || answer.reply.outcome === "unknown") return false;
  return answer.reply.outcome !== "released" || answer.reply.count === 0;
}
