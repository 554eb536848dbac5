import type { AcquiredReply, AcquireReply } from "../../formats/script-replies.ts";
import { computeMajority, groupLargestFirst, kthSmallest } from "../../redis/majority.ts";
import type { MasterAnswers, PollProgress } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** What counts as a majority's word. Nothing here talks to Redis. */

export interface Vote {
  readonly master: QuorumMaster;
  readonly reply: AcquiredReply & { readonly fence: string };
}

/** The hold that votes make together. */
export interface Agreement {
  /** `standing`: a majority had this very hold before the request. */
  readonly hold: "new" | "standing";
  readonly fence: string;
  readonly count: number;
  readonly voters: readonly Vote[];
}

export function collectVotes(answers: MasterAnswers<AcquireReply>): Vote[] {
  const votes: Vote[] = [];
  for (const [master, answer] of answers) {
    if (answer.state !== "answered" || answer.reply.outcome !== "granted") continue;
    const { reply } = answer;
    if (reply.fence !== null) votes.push({ master, reply: { ...reply, fence: reply.fence } });
  }
  return votes;
}

/**
 * The hold that a majority votes for; undefined when there is none.
 *
 * A hold stands where a majority names its fence. Nobody else can have held the lock since it was granted then, and its
 * fence is still the largest: so it is entered once more, and masters that missed or lost it are brought up to it.
 * Where no majority has the old hold, a majority of new votes makes a new one. Old and new votes together make none:
 * somebody else may have held the lock in between, and the old fence would be too small.
 */
export function findAgreement(votes: readonly Vote[], masters: number): Agreement | undefined {
  const majority = computeMajority(masters);
  const [standing] = groupByFence(votes.filter(isExistingHoldVote));
  if (standing !== undefined && standing.length >= majority) {
    const [{ reply }] = standing;
    const count = kthSmallest(
      standing.map((vote) => vote.reply.count),
      majority,
    );
    return { hold: "standing", fence: reply.fence, count, voters: votes };
  }
  const fresh = votes.filter(isNewHoldVote);
  if (fresh.length < majority) return undefined;
  const fence = fresh
    .map(({ reply }) => reply.fence)
    .reduce((one, other) => (isLargerFence(one, other) ? one : other));
  return { hold: "new", fence, count: 1, voters: fresh };
}

/** Whether the votes that are in decide, and whether those to come can. */
export function assessProgress(answers: MasterAnswers<AcquireReply>, masters: number): PollProgress {
  const votes = collectVotes(answers);
  const pending = masters - answers.size;
  const majority = computeMajority(masters);
  const standing = groupByFence(votes.filter(isExistingHoldVote))[0]?.length ?? 0;
  const mayStand = standing > 0 && standing + pending >= majority;
  const agreement = findAgreement(votes, masters);
  if (agreement === undefined) {
    return mayStand || votes.filter(isNewHoldVote).length + pending >= majority ? "open" : "enough";
  }
  // A hold that a majority may have is not given up for a new one.
  return agreement.hold === "new" && mayStand ? "open" : "enough";
}

/** Whether a vote that comes late belongs to the hold. */
export function canJoin(vote: Vote, { hold }: Agreement): boolean {
  return hold === "standing" || isNewHoldVote(vote);
}

export function isBehind({ reply }: Vote, { fence, count }: Agreement): boolean {
  return reply.fence !== fence || reply.count < count;
}

const groupByFence = (votes: readonly Vote[]) => groupLargestFirst(votes, ({ reply }) => reply.fence);

// A repetition is both: it may be of a hold that stands, or of votes that were never agreed on.
const isExistingHoldVote = ({ reply }: Vote) => reply.how !== "acquired";
const isNewHoldVote = ({ reply }: Vote) =>
  reply.how === "acquired" || (reply.how === "repeated" && reply.count === 1);

const isLargerFence = (one: string, other: string) => BigInt(one) > BigInt(other);
