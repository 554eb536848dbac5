import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createForeignHolder,
  type HeldObservation,
  type ReadableObservation,
  type SeenHolder,
} from "../../formats/observation.ts";
import { tallyVotes } from "./vote-tally.ts";

const KEY = "lock:a";
const NOW = 1_000_000;

interface PlainVote {
  readonly owner: string;
  readonly remainingMs: number | null;
  readonly fence: string | null;
  readonly count: number;
}

/** The state of the key on one master: a vote, no hold, a value that is not a lock, or `undefined` for unknown. */
type VoteInput = PlainVote | "free" | "no_lock" | undefined;

const plain = fc.record<PlainVote>({
  owner: fc.constantFrom("a", "b", "c"),
  remainingMs: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 5 }),
  fence: fc.option(fc.constantFrom("9", "10", "11"), { freq: 3 }),
  count: fc.integer({ min: 1, max: 4 }),
});
const shown: fc.Arbitrary<VoteInput> = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 2, arbitrary: fc.constant("free" as const) },
  { weight: 1, arbitrary: fc.constant("no_lock" as const) },
  { weight: 2, arbitrary: fc.constant(undefined) },
);
const masters = fc.array(shown, { minLength: 2, maxLength: 6 });

function held({ owner, remainingMs, fence, count }: PlainVote): HeldObservation {
  return {
    ...{ state: "held", key: KEY, asOf: NOW, type: "string", format: "token", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs },
    holders: [createForeignHolder(owner, { fence, count })],
  };
}

function toAnswer(one: VoteInput): ReadableObservation | undefined {
  if (one === undefined) return undefined;
  if (one === "free") return { state: "free", key: KEY, asOf: NOW };
  if (one === "no_lock") return { state: "not_a_lock", key: KEY, asOf: NOW, type: "list" };
  return held(one);
}

/** Returns the expected result: an owner, `free` or `no_lock`. The state of every master must be known. */
function findWinner(all: readonly VoteInput[]): string {
  const names = all.map((one) => (typeof one === "object" ? one.owner : (one ?? "free")));
  const [winner] = [...new Set(names)].filter(
    (name) => 2 * names.filter((each) => each === name).length > all.length,
  );
  return winner ?? "free";
}

/** Returns all results that are possible, depending on the unknown masters: owners, `free` or `no_lock`. */
function findWinners(all: readonly VoteInput[]): Set<string> {
  const at = all.indexOf(undefined);
  if (at < 0) return new Set([findWinner(all)]);
  const any: VoteInput[] = ["free", "no_lock", ...["a", "b", "c"].map((owner) => held1(owner))];
  return new Set(any.flatMap((one) => [...findWinners(all.with(at, one))]));
}

const held1 = (owner: string): PlainVote => ({ owner, remainingMs: 1, fence: null, count: 1 });

describe("quorum votes of Lockkeeper holds", () => {
  const buildVote = (token: string, known: Partial<SeenHolder>): ReadableObservation => ({
    ...{ state: "held", key: KEY, asOf: NOW, type: "string", format: "token", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs: 1000 },
    holders: [createForeignHolder(token, known)],
  });

  it("two holds of one label have votes of their own", () => {
    const one = buildVote("uuid:1", { owner: "me", fence: "7" });
    const other = buildVote("uuid:2", { owner: "me", fence: "8" });
    const votes = {
      of: 3,
      known: 3,
      owners: [
        { owner: "me", masters: 2 },
        { owner: "me", masters: 1 },
      ],
    };
    const result = tallyVotes(KEY, [one, other, one], NOW);
    expect(result).toMatchObject({ outcome: "held", seen: { holders: [{ token: "uuid:1" }], votes } });
    const split = tallyVotes(KEY, [one, other, { state: "free", key: KEY, asOf: NOW }], NOW);
    expect(split).toMatchObject({
      outcome: "free",
      seen: { votes: { owners: [{ masters: 1 }, { masters: 1 }] } },
    });
  });

  it("masters that lost the companion vote for the same hold, which keeps its label", () => {
    const bare = buildVote("uuid:1", {});
    const result = tallyVotes(KEY, [bare, buildVote("uuid:1", { owner: "me", fence: "7" }), bare], NOW);
    const votes = { owners: [{ owner: "me", masters: 3 }] };
    expect(result).toMatchObject({
      seen: { holders: [{ owner: "me", token: "uuid:1", fence: "7" }], votes },
    });
  });
});

describe("quorum tally", () => {
  it("the tally names a holder exactly when no unknown vote could change the result", () => {
    fc.assert(
      fc.property(masters, (all) => {
        const winners = findWinners(all);
        const result = tallyVotes(KEY, all.map(toAnswer), NOW);
        const said =
          result.outcome === "held"
            ? result.seen.holders[0].owner
            : result.outcome === "not_a_lock"
              ? "no_lock"
              : result.outcome;
        expect(said).toBe(winners.size > 1 ? "undecided" : [...winners][0]);
      }),
    );
  });

  it("the tally reports the TTL, fencing token and count that a majority supports", () => {
    fc.assert(
      fc.property(masters, (all) => {
        const result = tallyVotes(KEY, all.map(toAnswer), NOW);
        if (result.outcome !== "held") return;
        const { remainingMs, votes, holders } = result.seen;
        const [{ owner, fence, count }] = holders;
        const its = all.filter((one) => typeof one === "object").filter((one) => one.owner === owner);
        const isMajority = (few: readonly unknown[]) => 2 * few.length > all.length;
        const at = (ms: number) =>
          isMajority(its.filter((one) => one.remainingMs === null || one.remainingMs > ms));
        if (remainingMs === null) expect(at(1e9)).toBe(true);
        else expect([at(remainingMs - 1), at(remainingMs)]).toEqual([true, false]);
        const named = ["9", "10", "11"].find((each) => isMajority(its.filter((one) => one.fence === each)));
        const highest = ["11", "10", "9"].find((each) => its.some((one) => one.fence === each));
        expect(fence).toBe(named ?? highest ?? null);
        expect(isMajority(its.filter((one) => one.count <= count))).toBe(true);
        expect(isMajority(its.filter((one) => one.count < count))).toBe(false);
        expect(votes.owners[0]).toEqual({ owner, masters: its.length });
      }),
    );
  });

  it("the tally lists votes in descending order and counts the known masters", () => {
    fc.assert(
      fc.property(masters, (all) => {
        const result = tallyVotes(KEY, all.map(toAnswer), NOW);
        if (result.outcome === "not_a_lock") return;
        const votes = result.outcome === "undecided" ? result.votes : result.seen.votes;
        expect([votes.of, votes.known]).toEqual([all.length, all.filter((one) => one !== undefined).length]);
        const counts = votes.owners.map((each) => each.masters);
        expect(counts).toEqual(counts.toSorted((a, b) => b - a));
        expect(counts.reduce((sum, each) => sum + each, 0)).toBe(
          all.filter((one) => typeof one === "object").length,
        );
      }),
    );
  });
});
