import { describe, expect, it } from "vitest";
import type { Acquired, AcquireReply, How } from "../../formats/script-replies.ts";
import { agreementOf, isBehind, joins, progressOf, type Vote, votesOf } from "./agreement.ts";
import type { Answer, Answers } from "./poll-masters.ts";
import type { Master } from "./quorum-master.ts";

// Only which one it is counts here.
const MASTERS = Array.from({ length: 5 }, (_, n) => ({ label: `master ${n}` }) as Master);
const MANY = MASTERS.length;

const granted = (how: How, fence: number, count = how === "reentered" ? 2 : 1): Acquired => ({
  outcome: "granted",
  how,
  count,
  fence: String(fence),
  remainingMs: 1000,
  asOf: 0,
});
const held: AcquireReply = { outcome: "held", asOf: 0, remainingMs: 500, holders: [] };

/** What the first masters said, one after the other; `undefined` for one that has said nothing yet. */
function answersOf(...replies: (AcquireReply | "away" | undefined)[]): Answers<AcquireReply> {
  const answers = new Map<Master, Answer<AcquireReply>>();
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
const agreed = (...replies: Parameters<typeof answersOf>) =>
  agreementOf(votesOf(answersOf(...replies)), MANY);
const progress = (...replies: Parameters<typeof answersOf>) => progressOf(answersOf(...replies), MANY);
const vote = (reply: Acquired): Vote => {
  const [first] = votesOf(answersOf(reply));
  if (first === undefined) throw new Error("no vote");
  return first;
};

describe("votes for a lock that was free", () => {
  it("make a hold when a majority gave one, under the largest fence", () => {
    const hold = agreed(granted("acquired", 7), held, granted("acquired", 900), granted("acquired", 8), held);
    expect(hold).toMatchObject({ hold: "new", fence: "900", count: 1 });
    expect(hold?.voters).toHaveLength(3);
  });

  it("compare fences as numbers, however many digits they have", () => {
    const far = 9_007_199_254_740_990;
    expect(
      agreed(granted("acquired", far - 1), granted("acquired", far), granted("acquired", 99))?.fence,
    ).toBe(String(far));
  });

  it("make none from a minority", () => {
    expect(agreed(granted("acquired", 7), granted("acquired", 8), held, "away", "away")).toBeUndefined();
  });

  it("make a hold when they are repeated before anything was agreed on", () => {
    expect(agreed(granted("repeated", 7), granted("repeated", 9), granted("acquired", 8))).toMatchObject({
      hold: "new",
      fence: "9",
    });
  });
});

describe("votes for a lock that the owner has", () => {
  it("enter the hold whose fence a majority names, and bring those that gave it anew up to it", () => {
    const hold = agreed(
      granted("acquired", 900),
      granted("reentered", 5),
      granted("reentered", 5),
      granted("acquired", 901),
      granted("reentered", 5),
    );
    expect(hold).toMatchObject({ hold: "standing", fence: "5", count: 2 });
    expect(hold?.voters.map((each) => isBehind(each, hold))).toEqual([true, false, false, true, false]);
  });

  it("count what a majority does not exceed, so that one that missed a release does not hold it for ever", () => {
    const counts = [2, 2, 4, 2, 4].map((count) => granted("reentered", 5, count));
    expect(agreed(...counts)?.count).toBe(2);
  });

  it("count the largest of a bare majority, so that one that missed an entry does not end it early", () => {
    const hold = agreed(granted("reentered", 5, 2), granted("reentered", 5, 3), granted("reentered", 5, 2));
    expect(hold?.count).toBe(3);
    expect(hold?.voters.filter((each) => isBehind(each, hold))).toHaveLength(2);
  });

  it("make no hold together with new ones: somebody else may have held it in between", () => {
    const old = granted("reentered", 5);
    expect(agreed(old, old, granted("acquired", 8), granted("acquired", 9), held)).toBeUndefined();
  });

  it("are given up for a new hold where a majority voted anew", () => {
    const fresh = [7, 8, 9].map((fence) => granted("acquired", fence));
    expect(agreed(granted("reentered", 5), granted("reentered", 5), ...fresh)).toMatchObject({
      hold: "new",
      fence: "9",
    });
  });

  it("answer a repetition with the hold that stands, as it is now", () => {
    const again = granted("repeated", 5, 2);
    expect(agreed(again, again, again, granted("acquired", 9))).toMatchObject({ fence: "5", count: 2 });
  });
});

describe("the count of votes", () => {
  it("goes on while a majority is possible, and is firm enough when there is one", () => {
    expect(progress(granted("acquired", 1), granted("acquired", 2))).toBe("open");
    expect(progress(granted("acquired", 1), granted("acquired", 2), granted("acquired", 3))).toBe("enough");
  });

  it("is over when a majority refused or is away", () => {
    expect(progress(held, held)).toBe("open");
    expect(progress(held, "away", held)).toBe("enough");
  });

  it("waits for a hold that may stand before it makes a new one", () => {
    const fresh = [7, 8, 9].map((fence) => granted("acquired", fence));
    expect(progress(granted("reentered", 5), ...fresh)).toBe("enough");
    expect(progress(granted("repeated", 5), granted("repeated", 5), granted("acquired", 8))).toBe("open");
  });
});

describe("a vote that comes late", () => {
  const fresh = agreed(granted("acquired", 7), granted("acquired", 8), granted("acquired", 9));
  const standing = agreed(granted("reentered", 5), granted("reentered", 5), granted("reentered", 5));

  it("joins a new hold, whatever its fence", () => {
    if (fresh === undefined) throw new Error("no hold");
    expect(joins(vote(granted("acquired", 10)), fresh)).toBe(true);
    expect(joins(vote(granted("reentered", 9)), fresh)).toBe(false);
  });

  it("joins a hold that stands, as one of it or anew", () => {
    if (standing === undefined) throw new Error("no hold");
    expect(joins(vote(granted("reentered", 5)), standing)).toBe(true);
    expect(joins(vote(granted("acquired", 9)), standing)).toBe(true);
  });
});
