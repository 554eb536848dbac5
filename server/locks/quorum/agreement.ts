import type { AcquireReply, GrantedReply, RenewReply } from "../../formats/script-replies.ts";
import { computeMajority, groupLargestFirst, kthSmallest } from "../../redis/majority.ts";
import type { MasterResults, PollProgress } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

/** A master's vote for a hold: the reply with which the master granted it. */
export interface Vote {
  readonly master: QuorumMaster;
  readonly reply: GrantedReply;
}

/** The hold that a majority of the masters voted for, with the fencing token and count that the voters must store. */
export interface Agreement {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly voters: readonly Vote[];
}

export function collectVotes(results: MasterResults<AcquireReply | RenewReply>): Vote[] {
  const votes: Vote[] = [];
  for (const [master, result] of results) {
    if (result.state === "answered" && result.reply.outcome === "granted")
      votes.push({ master, reply: result.reply });
  }
  return votes;
}

/**
 * Returns the hold that a majority votes for; `undefined` if no hold has a majority.
 *
 * Votes with the same token are for the same hold. If a majority has the same fencing token, the hold gets that fencing
 * token. Otherwise, it gets the largest one. Every earlier hold had a majority, so at least one of the voting masters
 * knew the fencing token of that hold and issued a larger one.
 */
export function findAgreement(votes: readonly Vote[], masters: number): Agreement | undefined {
  const majority = computeMajority(masters);
  const [voters] = groupByToken(votes);
  if (voters === undefined || voters.length < majority) return undefined;
  const [named = voters] = groupLargestFirst(voters, ({ reply }) => reply.fence);
  const agreeing = named.length >= majority ? named : voters;
  const fence = agreeing
    .map(({ reply }) => reply.fence)
    .reduce((one, other) => (BigInt(one) > BigInt(other) ? one : other));
  const counts = agreeing.map(({ reply }) => reply.count);
  return { token: voters[0].reply.token, fence, count: kthSmallest(counts, majority), voters };
}

/** Returns `open` while no hold has a majority but pending votes can still produce one; otherwise `enough`. */
export function assessProgress(results: MasterResults<AcquireReply>, masters: number): PollProgress {
  const majority = computeMajority(masters);
  const most = groupByToken(collectVotes(results))[0]?.length ?? 0;
  return most < majority && most + masters - results.size >= majority ? "open" : "enough";
}

export function isBehind({ reply }: Vote, { fence, count }: Agreement): boolean {
  return reply.fence !== fence || reply.count < count;
}

const groupByToken = (votes: readonly Vote[]) => groupLargestFirst(votes, ({ reply }) => reply.token);
