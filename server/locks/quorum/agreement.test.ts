import { describe, expect, it } from "vitest";
import type { AcquiredReply, AcquireReply, GrantKind } from "../../formats/script-replies.ts";
import { assessProgress, canJoin, collectVotes, findAgreement, isBehind, type Vote } from "./agreement.ts";
import type { MasterAnswer, MasterAnswers } from "./poll-masters.ts";
import type { QuorumMaster } from "./quorum-master.ts";

// Only which one it is counts here.
const MASTERS = Array.from({ length: 5 }, (_, n) => ({ label: `master ${n}` }) as QuorumMaster);
const MANY = MASTERS.length;

const granted = (how: GrantKind, fence: number, count = how === "reentered" ? 2 : 1): AcquiredReply => ({
  outcome: "granted",
  how,
  count,
  fence: String(fence),
  remainingMs: 1000,
  asOf: 0,
});
const held: AcquireReply = { outcome: "held", asOf: 0, remainingMs: 500, holders: [] };

/** What the first masters said, one after the other; `undefined` for one that has said nothing yet. */
function toAnswers(...replies: (AcquireReply | "away" | undefined)[]): MasterAnswers<AcquireReply> {
  const answers = new Map<QuorumMaster, MasterAnswer<AcquireReply>>();
  for (const [at, reply] of replies.entries()) {
    const master = MASTERS[at];
    if (master === undefined || reply === undefined) continue;
    answers.set(
      master,
      reply === "away" ? { state: "away", error: undefined } : { state: "answered", reply },
    );
  }
  return answers;
}
const findAgreed = (...replies: Parameters<typeof toAnswers>) =>
  findAgreement(collectVotes(toAnswers(...replies)), MANY);
const assess = (...replies: Parameters<typeof toAnswers>) => assessProgress(toAnswers(...replies), MANY);
const vote = (reply: AcquiredReply): Vote => {
  const [first] = collectVotes(toAnswers(reply));
  if (first === undefined) throw new Error("no vote");
  return first;
};

describe("votes for a free lock", () => {
  it("a majority of new votes makes a hold under the largest fencing token", () => {
    const hold = findAgreed(
      granted("acquired", 7),
      held,
      granted("acquired", 900),
      granted("acquired", 8),
      held,
    );
    expect(hold).toMatchObject({ hold: "new", fence: "900", count: 1 });
    expect(hold?.voters).toHaveLength(3);
  });

  it("fencing tokens are compared as numbers, whatever their number of digits", () => {
    const far = 9_007_199_254_740_990;
    expect(
      findAgreed(granted("acquired", far - 1), granted("acquired", far), granted("acquired", 99))?.fence,
    ).toBe(String(far));
  });

  it("a minority of votes makes no hold", () => {
    expect(findAgreed(granted("acquired", 7), granted("acquired", 8), held, "away", "away")).toBeUndefined();
  });

  it("repeated votes make a new hold when nothing had been agreed on yet", () => {
    expect(findAgreed(granted("repeated", 7), granted("repeated", 9), granted("acquired", 8))).toMatchObject({
      hold: "new",
      fence: "9",
    });
  });
});

describe("votes for a lock of the same owner", () => {
  it("a re-entry joins the hold whose fencing token a majority names and updates the masters with new votes", () => {
    const hold = findAgreed(
      granted("acquired", 900),
      granted("reentered", 5),
      granted("reentered", 5),
      granted("acquired", 901),
      granted("reentered", 5),
    );
    expect(hold).toMatchObject({ hold: "standing", fence: "5", count: 2 });
    expect(hold?.voters.map((each) => isBehind(each, hold))).toEqual([true, false, false, true, false]);
  });

  it("the agreed count ignores masters that missed a release", () => {
    const counts = [2, 2, 4, 2, 4].map((count) => granted("reentered", 5, count));
    expect(findAgreed(...counts)?.count).toBe(2);
  });

  it("the agreed count of a bare majority is its largest, so a missed entry does not end the hold early", () => {
    const hold = findAgreed(
      granted("reentered", 5, 2),
      granted("reentered", 5, 3),
      granted("reentered", 5, 2),
    );
    expect(hold?.count).toBe(3);
    expect(hold?.voters.filter((each) => isBehind(each, hold))).toHaveLength(2);
  });

  it("old votes and new votes together make no hold, since another owner may have held the lock in between", () => {
    const old = granted("reentered", 5);
    expect(findAgreed(old, old, granted("acquired", 8), granted("acquired", 9), held)).toBeUndefined();
  });

  it("old votes are dropped for a new hold when a majority voted anew", () => {
    const fresh = [7, 8, 9].map((fence) => granted("acquired", fence));
    expect(findAgreed(granted("reentered", 5), granted("reentered", 5), ...fresh)).toMatchObject({
      hold: "new",
      fence: "9",
    });
  });

  it("a repeated request returns the standing hold in its current state", () => {
    const again = granted("repeated", 5, 2);
    expect(findAgreed(again, again, again, granted("acquired", 9))).toMatchObject({ fence: "5", count: 2 });
  });
});

describe("vote progress", () => {
  it("voting stays open while a majority is possible and is decided once there is one", () => {
    expect(assess(granted("acquired", 1), granted("acquired", 2))).toBe("open");
    expect(assess(granted("acquired", 1), granted("acquired", 2), granted("acquired", 3))).toBe("enough");
  });

  it("voting is decided when a majority refused or is unreachable", () => {
    expect(assess(held, held)).toBe("open");
    expect(assess(held, "away", held)).toBe("enough");
  });

  it("voting stays open while a standing hold is still possible, before a new hold is made", () => {
    const fresh = [7, 8, 9].map((fence) => granted("acquired", fence));
    expect(assess(granted("reentered", 5), ...fresh)).toBe("enough");
    expect(assess(granted("repeated", 5), granted("repeated", 5), granted("acquired", 8))).toBe("open");
  });
});

describe("late votes", () => {
  const fresh = findAgreed(granted("acquired", 7), granted("acquired", 8), granted("acquired", 9));
  const standing = findAgreed(granted("reentered", 5), granted("reentered", 5), granted("reentered", 5));

  it("a late new vote joins a new hold, whatever its fencing token", () => {
    if (fresh === undefined) throw new Error("no hold");
    expect(canJoin(vote(granted("acquired", 10)), fresh)).toBe(true);
    expect(canJoin(vote(granted("reentered", 9)), fresh)).toBe(false);
  });

  it("a late vote joins a standing hold, whether it is a re-entry or new", () => {
    if (standing === undefined) throw new Error("no hold");
    expect(canJoin(vote(granted("reentered", 5)), standing)).toBe(true);
    expect(canJoin(vote(granted("acquired", 9)), standing)).toBe(true);
  });
});
