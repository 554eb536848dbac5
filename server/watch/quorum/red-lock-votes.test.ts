import { describe, expect, it } from "vitest";
import {
  createForeignHolder,
  type HeldObservation,
  type ReadableObservation,
} from "../../formats/observation.ts";
import { tallyVotes } from "./vote-tally.ts";

const KEY = "lock:a";
const NOW = 1_000_000;
const FREE: ReadableObservation = { state: "free", key: KEY, asOf: NOW };

/** Builds the observation of a plain Redisson lock on one master. */
function buildVote(client: number, thread: number, remainingMs: number | null = 30_000): HeldObservation {
  const owner = `00000000-0000-4000-8000-00000000000${client}:${thread}`;
  return {
    ...{ state: "held", key: KEY, asOf: NOW, type: "hash", format: "redisson", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs, holders: [createForeignHolder(owner)] },
  };
}

const getOwner = (vote: HeldObservation) => vote.holders[0].owner;
const tally = (
  seen: readonly (ReadableObservation | undefined)[],
  begunAt?: number[],
  before?: HeldObservation,
) => tallyVotes(KEY, seen, NOW, { begunAt: begunAt ?? [], before });

describe("votes of a RedLock", () => {
  it("owners of one thread that began together are one hold with the time that a majority has left", () => {
    const votes = [buildVote(1, 7, 30_000), buildVote(2, 7, 21_000), buildVote(3, 7, 25_000)];
    const result = tally(votes, [100, 150, 900]);
    expect(result).toMatchObject({
      outcome: "held",
      seen: {
        remainingMs: 25_000,
        holders: [{ ownersPerMaster: votes.map(getOwner) }],
        votes: { agreement: "owner_per_master", owners: [{ masters: 3 }] },
      },
    });
  });

  it.for([
    { name: "another thread", other: buildVote(1, 8), begunAt: [0, 0, 0] },
    { name: "another begin", other: buildVote(1, 7), begunAt: [0, 5000, 5000] },
    { name: "another lease", other: buildVote(1, 7, 600_000), begunAt: [0, 0, 0] },
  ])("$name is a vote of its own", ({ other, begunAt }) => {
    const its = [buildVote(2, 7), buildVote(3, 7)];
    const result = tally([other, ...its], begunAt);
    expect(result).toMatchObject({
      outcome: "held",
      seen: {
        holders: [{ ownersPerMaster: its.map(getOwner) }],
        votes: { owners: [{ masters: 2 }, { owner: getOwner(other), masters: 1 }] },
      },
    });
  });

  it("the hold keeps its name while masters join it, leave it and become unknown", () => {
    const votes = [buildVote(1, 7), buildVote(2, 7), buildVote(3, 7)];
    const first = tally([FREE, ...votes.slice(1)]);
    const before = first.outcome === "held" ? first.seen : undefined;
    const owner = before?.holders[0].owner;
    expect(owner).toBe(getOwner(buildVote(2, 7)));
    for (const seen of [votes, [votes[0], FREE, votes[2]]])
      expect(tally(seen, [], before)).toMatchObject({ seen: { holders: [{ owner, token: owner }] } });
    expect(tally([undefined, undefined, votes[2]], [], before)).toMatchObject({
      outcome: "undecided",
      votes: { owners: [{ owner, masters: 1 }] },
    });
  });

  it("different owners at a majority hold the lock together until a majority is free", () => {
    const votes = [buildVote(1, 7, 30_000), buildVote(2, 8, 10_000), buildVote(3, 9, 20_000)];
    expect(tally(votes)).toMatchObject({
      outcome: "held",
      seen: { remainingMs: 20_000, votes: { agreement: "different_owners" } },
    });
    const result = tally([...votes.slice(0, 2), FREE]);
    expect(result).toMatchObject({ outcome: "held", seen: { remainingMs: 10_000 } });
    expect(result.outcome === "held" && result.seen.holders).toHaveLength(2);
    expect(tally([votes[0], FREE, FREE])).toMatchObject({
      outcome: "free",
      seen: { votes: { agreement: "none" } },
    });
  });

  it("locks without a TTL are no RedLock, and block all the same", () => {
    const endless = [buildVote(1, 7, null), buildVote(2, 7, null), buildVote(3, 7, null)];
    expect(tally(endless)).toMatchObject({
      outcome: "held",
      seen: { remainingMs: null, votes: { agreement: "different_owners" } },
    });
  });

  it("data at a majority is not a lock, and neither is what only looks like one", () => {
    const data: ReadableObservation = { state: "not_a_lock", key: KEY, asOf: NOW, type: "hash" };
    expect(tally([data, data, buildVote(1, 7)])).toMatchObject({ outcome: "not_a_lock" });
    const doubtful = [1, 2, 3].map((client) => ({
      ...buildVote(client, client),
      confidence: "possible" as const,
      remainingMs: null,
    }));
    expect(tally(doubtful)).toMatchObject({ outcome: "free" });
  });
});
