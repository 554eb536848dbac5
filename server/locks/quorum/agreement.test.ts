import { describe, expect, it } from "vitest";
import type { AcquireReply, GrantedReply, GrantKind } from "../../formats/script-replies.ts";
import { assessProgress, collectVotes, findAgreement, isBehind } from "./agreement.ts";
import type { MasterResult, MasterResults } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

// The tests use the masters only as map keys.
const MASTERS = Array.from({ length: 5 }, (_, n) => ({ label: `master ${n}` }) as QuorumMaster);
const MANY = MASTERS.length;

const createGrant = (token: string, fence: number, count: number, how: GrantKind): GrantedReply => ({
  outcome: "granted",
  ...{ token, fence: String(fence), count, how },
  ...{ remainingMs: 1000, leaseMs: 1000, asOf: 0, owner: "" },
});
const acquired = (fence: number, token = "new") => createGrant(token, fence, 1, "acquired");
const repeated = (fence: number, count = 1, token = "old") => createGrant(token, fence, count, "repeated");
const held: AcquireReply = { outcome: "held", asOf: 0, remainingMs: 500, holders: [] };

/** Assigns the replies to the masters in order. `undefined` stands for a master that has not replied yet. */
function toResults(...replies: (AcquireReply | "away" | undefined)[]): MasterResults<AcquireReply> {
  const results = new Map<QuorumMaster, MasterResult<AcquireReply>>();
  for (const [at, reply] of replies.entries()) {
    const master = MASTERS[at];
    if (master === undefined || reply === undefined) continue;
    results.set(
      master,
      reply === "away" ? { state: "away", error: undefined } : { state: "answered", reply },
    );
  }
  return results;
}
const findAgreed = (...replies: Parameters<typeof toResults>) =>
  findAgreement(collectVotes(toResults(...replies)), MANY);
const assess = (...replies: Parameters<typeof toResults>) => assessProgress(toResults(...replies), MANY);

describe("votes for a free lock", () => {
  it("a majority of votes for one token makes a hold under the largest fencing token", () => {
    const hold = findAgreed(acquired(7), held, acquired(900), acquired(8), held);
    expect(hold).toMatchObject({ token: "new", fence: "900", count: 1 });
    expect(hold?.voters).toHaveLength(3);
  });

  it("fencing tokens are compared as numbers, whatever their number of digits", () => {
    const far = 9_007_199_254_740_990;
    expect(findAgreed(acquired(far - 1), acquired(far), acquired(99))?.fence).toBe(String(far));
  });

  it("a minority of votes makes no hold", () => {
    expect(findAgreed(acquired(7), acquired(8), held, "away", "away")).toBeUndefined();
  });
});

describe("votes for a request that was sent before", () => {
  it("a majority of repeated votes returns the earlier token, fencing token and count", () => {
    const again = repeated(5, 2);
    expect(findAgreed(again, acquired(900), again, again, acquired(901))).toMatchObject({
      ...{ token: "old", fence: "5", count: 2 },
    });
  });

  it("votes of an earlier try that was never agreed on make a hold under the largest fencing token", () => {
    expect(findAgreed(repeated(7), repeated(9), repeated(8), acquired(900))).toMatchObject({
      ...{ token: "old", fence: "9", count: 1 },
    });
  });

  it("a fencing token that a majority has is not replaced by a larger one of a master that missed the agreement", () => {
    const hold = findAgreed(repeated(900), repeated(5), repeated(5), repeated(5), repeated(901));
    expect(hold).toMatchObject({ token: "old", fence: "5" });
    expect(hold?.voters.map((vote) => isBehind(vote, hold))).toEqual([true, false, false, false, true]);
  });

  it("votes for two tokens are not counted together", () => {
    expect(findAgreed(repeated(5), repeated(5), acquired(8), acquired(9), held)).toBeUndefined();
  });

  it("a majority for the new token makes a new hold without the masters that still have the earlier one", () => {
    const hold = findAgreed(repeated(5), acquired(7), acquired(8), repeated(5), acquired(9));
    expect(hold).toMatchObject({ token: "new", fence: "9", count: 1 });
    expect(hold?.voters).toHaveLength(3);
  });
});

describe("agreed count", () => {
  it("ignores masters that missed a release", () => {
    const counts = [2, 2, 4, 2, 4].map((count) => repeated(5, count));
    expect(findAgreed(...counts)?.count).toBe(2);
  });

  it("is the largest of a bare majority, so a missed re-entry does not end the hold early", () => {
    const hold = findAgreed(repeated(5, 2), repeated(5, 3), repeated(5, 2));
    expect(hold?.count).toBe(3);
    expect(hold?.voters.filter((vote) => isBehind(vote, hold))).toHaveLength(2);
  });

  it("ignores masters that missed the agreement", () => {
    const counts = [2, 2, 2].map((count) => repeated(5, count));
    expect(findAgreed(repeated(900), ...counts, repeated(901))?.count).toBe(2);
  });
});

describe("vote progress", () => {
  it("voting stays open while a majority is possible and is decided once there is one", () => {
    expect(assess(acquired(1), acquired(2))).toBe("open");
    expect(assess(acquired(1), acquired(2), acquired(3))).toBe("enough");
  });

  it("voting is decided when a majority refused or is unreachable", () => {
    expect(assess(held, held)).toBe("open");
    expect(assess(held, "away", held)).toBe("enough");
  });

  it("voting stays open while either of two tokens can still get a majority", () => {
    expect(assess(repeated(5), repeated(5), acquired(8), acquired(9))).toBe("open");
    expect(assess(repeated(5), repeated(5), acquired(8), acquired(9), held)).toBe("enough");
  });
});
