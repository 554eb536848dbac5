import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createForeignHolder,
  type Observation,
  type ReadableObservation,
} from "../../formats/observation.ts";
import { KeyConsensus } from "./key-consensus.ts";
import type { VoteBegin } from "./master-vote.ts";
import type { Voter } from "./vote-store.ts";

const KEY = "lock:a";
const FREE_KEY: ReadableObservation = { state: "free", key: KEY, asOf: 0 };
const MASTERS = 3;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Step =
  | { readonly do: "vote"; readonly at: number; readonly owner: string }
  | { readonly do: "give_back" | "look" | "hear" | "go" | "come"; readonly at: number };

const at = fc.integer({ min: 0, max: MASTERS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("vote" as const), at, owner: fc.constantFrom("a", "a", "b") }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("give_back" as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("look" as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("hear" as const), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("go" as const, "come" as const), at }) },
);

interface VoterFixture extends Voter {
  isUp: boolean;
  term: number;
}

/** A simulated quorum of three masters. The masters are read at different times, and their replies are delayed. */
class QuorumFixture {
  readonly voters: VoterFixture[] = Array.from({ length: MASTERS }, () => ({ isUp: true, term: 0 }));
  readonly consensus = new KeyConsensus<VoterFixture>(KEY, this.voters);
  readonly #has: (string | undefined)[] = this.voters.map(() => undefined);
  readonly #goneAt = this.voters.map(() => Number.NEGATIVE_INFINITY);
  readonly #onTheWay: { owner: string | undefined; sentAt: number; term: number }[][] = this.voters.map(
    () => [],
  );
  /** The actual owner of the lock by time (`performance.now()`); `free` if there was none. */
  readonly #truths = new Map<number, string>();

  applyStep(one: Step): void {
    vi.advanceTimersByTime(1);
    // Records the owner before this step. Only the step itself can change the owner.
    const voter = this.#getVoter(one.at);
    this.#truths.set(performance.now(), this.truth);
    if (one.do === "vote") this.#has[one.at] ??= one.owner;
    else if (one.do === "give_back") {
      if (this.#has[one.at] !== undefined) this.#goneAt[one.at] = performance.now();
      this.#has[one.at] = undefined;
    } else if (one.do === "look") this.#look(one.at);
    else if (one.do === "hear") this.#hear(one.at);
    else if (one.do === "go" && voter.isUp) {
      voter.isUp = false;
      voter.term++;
    } else if (one.do === "come") voter.isUp = true;
  }

  /** The actual owner at the current time: the owner with a majority, or `free` if there is none. */
  get truth(): string {
    const winner = ["a", "b"].find(
      (owner) => 2 * this.#has.filter((each) => each === owner).length > MASTERS,
    );
    return winner ?? "free";
  }

  #getVoter(number: number): VoterFixture {
    const voter = this.voters[number];
    if (voter === undefined) throw new Error(`there is no master ${number}`);
    return voter;
  }

  #look(number: number): void {
    const voter = this.#getVoter(number);
    if (!voter.isUp) return;
    this.#onTheWay[number]?.push({ owner: this.#has[number], sentAt: performance.now(), term: voter.term });
  }

  #hear(number: number): void {
    const voter = this.#getVoter(number);
    const look = this.#onTheWay[number]?.shift();
    if (look === undefined || look.term !== voter.term || !voter.isUp) return;
    const asOf = Math.round(performance.now());
    const observation: ReadableObservation =
      look.owner === undefined
        ? { state: "free", key: KEY, asOf }
        : {
            ...{ state: "held", key: KEY, asOf, type: "string", format: "token", candidates: [] },
            ...{ kind: "lock", confidence: "certain", remainingMs: null },
            holders: [createForeignHolder(look.owner)],
          };
    // As with a real notification, the report that the key is gone applies until a read that was sent later is
    // recorded.
    const goneAt = this.#goneAt[number] ?? Number.NEGATIVE_INFINITY;
    this.consensus.recordNotifications(voter, {
      wasGone: goneAt > Number.NEGATIVE_INFINITY,
      endCause: undefined,
    });
    if (look.sentAt > goneAt) this.#goneAt[number] = Number.NEGATIVE_INFINITY;
    this.consensus.recordReading(
      voter,
      { observation, sentAt: look.sentAt, receivedAt: performance.now() },
      { clockAheadMs: 0, begin: "seen" },
    );
    this.#settle(asOf);
  }

  #settle(asOf: number): void {
    const { shown: before } = this;
    const { pendingSince = performance.now() } = this.consensus;
    this.consensus.evaluate(asOf);
    if (this.shown !== before) expect(this.#truths.get(pendingSince)).toBe(this.shown);
  }

  get shown(): string {
    return this.consensus.holder?.holders[0].owner ?? "free";
  }

  /** Connects all masters, discards delayed replies, and reads the masters until the decision is stable. */
  rest(): void {
    for (const voter of this.voters) voter.isUp = true;
    for (const looks of this.#onTheWay) looks.length = 0;
    for (let round = 0; round < 5; round++) {
      for (let number = 0; number < MASTERS; number++) {
        this.applyStep({ do: "look", at: number });
        this.applyStep({ do: "hear", at: number });
      }
    }
  }
}

describe("force-releases of a quorum", () => {
  const buildVote = (token: string, fence: string | null): ReadableObservation => ({
    ...{ state: "held", key: KEY, asOf: 0, type: "string", format: "token", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs: null },
    holders: [createForeignHolder(token, { owner: "me", fence })],
  });

  /** Returns the decision after the masters have reported these force-releases and the key is free on all masters. */
  function decideAfter(
    held: readonly ReadableObservation[],
    freed: readonly (readonly [owner: string, fence: string | null])[],
    afterReports: "nothing" | "late_readings" = "nothing",
  ) {
    const voters: VoterFixture[] = held.map(() => ({ isUp: true, term: 0 }));
    const consensus = new KeyConsensus<VoterFixture>(KEY, voters);
    const showAll = (seen: readonly ReadableObservation[], sentAt?: number) => {
      let decision: ReturnType<typeof consensus.evaluate>;
      for (let round = 0; round < 2; round++) {
        vi.advanceTimersByTime(1);
        const now = performance.now();
        voters.forEach((voter, at) => {
          const observation = seen[at] ?? FREE_KEY;
          consensus.recordReading(
            voter,
            { observation, sentAt: sentAt ?? now, receivedAt: now },
            { clockAheadMs: 0, begin: "seen" },
          );
        });
        decision = consensus.evaluate(now);
      }
      return decision;
    };
    showAll(held);
    // After this time, the consensus stops waiting for the masters to agree on a fencing token.
    vi.advanceTimersByTime(1000);
    showAll(held);
    voters.forEach((voter, at) => {
      const [owner = "", fence = null] = freed[at] ?? [];
      consensus.recordForceRelease(voter, {
        ...{ type: "force_released", key: KEY, at: 0, fence, seq: 2, count: 0, heldMs: undefined },
        ...{ owner, by: "mei", reason: undefined },
      });
    });
    if (afterReports === "late_readings") showAll(held, performance.now() - 1);
    return showAll([]);
  }

  it("a force-release of an earlier hold of the same label is not taken for one of the present hold", () => {
    const now = [1, 2, 3].map(() => buildVote("uuid:2", "200"));
    const freed = (fence: string) => now.map((): [string, string] => ["me", fence]);
    expect(decideAfter(now, freed("100"))?.forceRelease).toBeUndefined();
    expect(decideAfter(now, freed("200"))?.forceRelease).toMatchObject({ by: "mei" });
  });

  it("a force-release is recognized after readings that were sent before its reports", () => {
    const held = [1, 2, 3].map(() => buildVote("uuid:2", "200"));
    const freed = held.map((): [string, string] => ["me", "200"]);
    expect(decideAfter(held, freed, "late_readings")?.forceRelease).toMatchObject({ by: "mei" });
  });

  it("a force-release is recognized at masters that have another fencing token of the hold, or none", () => {
    const held = [buildVote("uuid:1", "200"), buildVote("uuid:1", "199"), buildVote("uuid:1", null)];
    const other = ["me", "100"] as const;
    for (const freed of [
      [["me", "200"], ["me", "199"], other] as const,
      [other, ["me", "199"], ["uuid:1", null]] as const,
    ])
      expect(decideAfter(held, freed)?.forceRelease).toMatchObject({ by: "mei" });
    expect(decideAfter(held, [other, other, ["uuid:1", null]])?.forceRelease).toBeUndefined();
  });
});

describe("the agreement on a fencing token", () => {
  const voters: VoterFixture[] = Array.from({ length: MASTERS }, () => ({ isUp: true, term: 0 }));
  const buildVote = (fence: string): ReadableObservation => ({
    ...{ state: "held", key: KEY, asOf: 0, type: "string", format: "token", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs: null },
    holders: [createForeignHolder("uuid:1", { owner: "me", fence })],
  });

  /**
   * Returns the fencing token that is shown after each set of votes. A set contains the fencing token on each master.
   */
  function listShownFences(votes: readonly (readonly string[])[], waitMs = 1): (string | null | undefined)[] {
    const consensus = new KeyConsensus<VoterFixture>(KEY, voters);
    return votes.map((fences) => {
      for (let round = 0; round < 5; round++) {
        vi.advanceTimersByTime(waitMs);
        const now = performance.now();
        voters.forEach((voter, number) => {
          const fence = fences[number];
          const observation = fence === undefined ? FREE_KEY : buildVote(fence);
          const source = { clockAheadMs: 0, begin: "seen" } as const;
          consensus.recordReading(voter, { observation, sentAt: now, receivedAt: now }, source);
        });
        consensus.evaluate(now);
      }
      return consensus.holder?.holders[0].fence;
    });
  }

  it("a hold is shown with the token that its masters agreed on, and with no other before", () => {
    const votes = [["100"], ["100", "101"], ["100", "101", "102"], ["102", "102", "102"]];
    expect(listShownFences(votes)).toEqual([undefined, undefined, undefined, "102"]);
  });

  it("a hold whose agreement does not come is shown after a second, and stays that hold", () => {
    const left = [
      ["100", "101", "102"],
      ["100", "101"],
    ];
    expect(listShownFences(left, 500)).toEqual(["102", "102"]);
  });
});

describe("KeyConsensus", () => {
  it("KeyConsensus shows only holders that had a majority at one moment and converges on the true holder", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 12, maxLength: 50 }), (steps) => {
        const world = new QuorumFixture();
        for (const one of steps) world.applyStep(one);
        world.rest();
        expect(world.shown).toBe(world.truth);
      }),
      {
        numRuns: 1000,
        examples: [
          // The lock moves from one master to another. The two reads find each master held, but never at the same time.
          [
            [
              { do: "vote", at: 2, owner: "a" },
              { do: "look", at: 2 },
              { do: "give_back", at: 2 },
              { do: "look", at: 0 },
              { do: "hear", at: 0 },
              { do: "hear", at: 2 },
              { do: "vote", at: 0, owner: "a" },
              { do: "look", at: 0 },
              { do: "hear", at: 0 },
              { do: "vote", at: 1, owner: "a" },
            ],
          ],
        ],
      },
    );
  });
});

describe("start of a hold", () => {
  /** A plain Redisson lock. Without a TTL, locks with different owners are not parts of one RedLock. */
  const buildHeld = (thread: number): ReadableObservation => ({
    ...{ state: "held", key: KEY, asOf: 0, type: "hash", format: "redisson", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs: null },
    holders: [createForeignHolder(`00000000-0000-4000-8000-000000000001:${thread}`)],
  });

  /** Reads all masters twice: first with `begins`, and then after their first scans have ended. */
  function decideAfterScan(begins: readonly VoteBegin[], threads = [7, 7, 7]) {
    const voters: VoterFixture[] = begins.map(() => ({ isUp: true, term: 0 }));
    const consensus = new KeyConsensus<VoterFixture>(KEY, voters);
    for (const round of [begins, begins.map(() => "seen" as const)]) {
      vi.advanceTimersByTime(1);
      const now = performance.now();
      for (const [at, voter] of voters.entries()) {
        const source = { clockAheadMs: 0, begin: round[at] ?? "unknown" };
        const observation = buildHeld(threads[at] ?? 0);
        consensus.recordReading(voter, { observation, sentAt: now, receivedAt: now }, source);
      }
      consensus.evaluate(now);
    }
    expect(consensus.holder).toBeDefined();
    return [consensus.hasMajorityFrom("seen"), consensus.hasMajorityFrom("after_initial_scan")];
  }

  it("is unknown if the first scans found the votes, even if the decision is confirmed after the scans", () => {
    expect(decideAfterScan(["initial_scan", "initial_scan", "initial_scan"])).toEqual([false, false]);
    expect(decideAfterScan(["initial_scan", "initial_scan", "seen"])).toEqual([false, false]);
  });

  it("is known if a majority of the votes was seen to begin", () => {
    expect(decideAfterScan(["seen", "seen", "initial_scan"])).toEqual([true, true]);
    expect(decideAfterScan(["seen", "unknown", "unknown"])).toEqual([false, true]);
    expect(decideAfterScan(["seen", "seen", "initial_scan"], [7, 8, 9])).toEqual([true, true]);
  });
});

describe("masters that are read one after the other", () => {
  const HELD: ReadableObservation = {
    ...{ state: "held", key: KEY, asOf: 0, type: "string", format: "token", candidates: [] },
    ...{ kind: "lock", confidence: "certain", remainingMs: 30_000 },
    holders: [createForeignHolder("uuid:1", { owner: "me", fence: "7" })],
  };

  function readAll(holding: number) {
    const voters: VoterFixture[] = [0, 1, 2].map(() => ({ isUp: true, term: 0 }));
    const consensus = new KeyConsensus<VoterFixture>(KEY, voters);
    const read = (voter: VoterFixture, observation: Observation, extendedAt?: number) => {
      vi.advanceTimersByTime(2);
      const receivedAt = performance.now() - 1;
      consensus.recordNotifications(voter, { wasGone: false, endCause: undefined, extendedAt });
      const source = { clockAheadMs: 0, begin: "seen" } as const;
      consensus.recordReading(voter, { observation, sentAt: receivedAt - 1, receivedAt }, source);
      return consensus.isBeingExtended;
    };
    for (const [at, voter] of voters.entries()) read(voter, at < holding ? HELD : FREE_KEY);
    return { voters, consensus, read };
  }

  it("an extension lasts until all masters of the hold have reported it", () => {
    for (const holding of [3, 2]) {
      const { voters, read } = readAll(holding);
      const lasts = voters.slice(0, holding).map((voter) => read(voter, HELD, performance.now()));
      expect(lasts).toEqual([...Array.from({ length: holding - 1 }, () => true), false]);
      expect(voters.map((voter) => read(voter, HELD))).toEqual([false, false, false]);
    }
  });

  it("a report of an extension that applies to two reads of its master does not begin another extension", () => {
    const { voters, read } = readAll(3);
    const reportedAt = performance.now();
    for (const voter of voters) read(voter, HELD, reportedAt);
    expect(voters.map((voter) => read(voter, HELD, reportedAt))).toEqual([false, false, false]);
    expect(voters.map((voter) => read(voter, HELD, reportedAt + 1))).toEqual([true, true, false]);
  });

  it("a master's late report of an extension does not begin another extension", () => {
    const { voters, read } = readAll(3);
    const [first, second, third] = voters;
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few");
    for (const voter of [first, second]) read(voter, HELD, performance.now());
    vi.advanceTimersByTime(3000);
    expect(read(third, HELD, performance.now())).toBe(false);
    expect(read(first, HELD, performance.now())).toBe(true);
  });

  it("two overlapping extensions last until all masters have reported both", () => {
    const { voters, read } = readAll(3);
    const order = [0, 1, 0, 2, 1, 2];
    const lasts = order.map((at) => read(voters[at] ?? { isUp: false, term: 0 }, HELD, performance.now()));
    expect(lasts).toEqual([true, true, true, true, true, false]);
  });

  it("an extension that a master does not report lasts for at most 1 s", () => {
    const { voters, consensus, read } = readAll(3);
    const [first, second] = voters;
    if (first === undefined || second === undefined) throw new Error("too few");
    read(first, HELD, performance.now());
    read(second, HELD, performance.now());
    expect(consensus.isBeingExtended).toBe(true);
    vi.advanceTimersByTime(1000);
    expect(consensus.isBeingExtended).toBe(false);
  });

  it("a master on which the key is unreadable counts as read until it connects again", () => {
    const { voters, consensus, read } = readAll(3);
    const [first] = voters;
    if (first === undefined) throw new Error("too few");
    read(first, { state: "unreadable", key: KEY, reason: "forbidden", why: "no permission" });
    expect(consensus.listUnreadVoters()).toEqual([]);
    first.term++;
    expect(consensus.listUnreadVoters()).toEqual([first]);
  });
});
