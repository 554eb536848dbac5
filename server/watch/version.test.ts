import { describe, expect, it, vi } from "vitest";
import type { SeenHolder } from "../formats/observation.ts";
import type { Hold } from "./hold.ts";
import { compareVersion, NO_SIGHT, versionOf } from "./version.ts";

interface Given extends Partial<SeenHolder> {
  epoch?: number;
  remainingMs?: number;
  others?: SeenHolder[];
}

/** A foreign hold unless it is given a fence. */
function hold({ epoch = 4, remainingMs = 30_000, others = [], ...given }: Given = {}): Hold {
  const first: SeenHolder = {
    owner: "uuid:1",
    count: 1,
    fence: null,
    sinceMs: null,
    leaseMs: null,
    record: undefined,
    marginMs: 0,
    seq: 0,
    ...given,
  };
  return {
    key: "lock:a",
    seen: {
      state: "held",
      key: "lock:a",
      asOf: 1000,
      type: "hash",
      format: "redisson",
      candidates: [],
      kind: "lock",
      confidence: "certain",
      holders: [first, ...others],
      remainingMs,
    },
    epoch,
    firstSeenMs: 1000,
    since: "exact",
    sight: "1",
    longestMs: remainingMs,
  };
}

/** What becomes of a version given under `sight` when `now` is there under `sightNow`. */
const compared = (then: Hold, now: Hold, sight = "1", sightNow = sight) =>
  compareVersion(versionOf({ ...then, sight }), { ...now, sight: sightNow });

const ours = (given: Given = {}) => hold({ owner: "me", fence: "77", ...given });

describe("the version of a hold of ours", () => {
  it.each([
    ["1", "1"],
    ["1", "2"],
    ["1", NO_SIGHT],
    [NO_SIGHT, NO_SIGHT],
  ])("is the same for one fence, whatever we watched (%s, then %s)", (sight, sightNow) => {
    expect(compared(ours(), ours({ epoch: 9 }), sight, sightNow)).toBe("same");
  });

  it("does not change with count, lease or the number of changes", () => {
    expect(compared(ours(), ours({ count: 3, remainingMs: 5, seq: 12, leaseMs: 9 }))).toBe("same");
  });

  it("is changed for another fence, also of the same owner", () => {
    expect(compared(ours(), ours({ fence: "78" }))).toBe("changed");
  });

  it("is changed when a foreign hold is there, and the other way round", () => {
    expect(compared(ours(), hold({ owner: "me" }))).toBe("changed");
    expect(compared(hold({ owner: "me" }), ours())).toBe("changed");
    expect(compared(ours(), hold(), NO_SIGHT)).toBe("changed");
  });
});

describe("the version of a foreign hold", () => {
  it("is the same for one owner and epoch in one stretch of sight", () => {
    expect(compared(hold(), hold())).toBe("same");
    expect(compared(hold(), hold({ count: 2, remainingMs: 7 }))).toBe("same");
  });

  it("is changed for another owner, whatever we watched", () => {
    for (const [sight, now] of [
      ["1", "1"],
      ["1", "2"],
      ["1", NO_SIGHT],
      [NO_SIGHT, NO_SIGHT],
    ])
      expect(compared(hold(), hold({ owner: "uuid:2" }), sight, now)).toBe("changed");
  });

  it("is changed for another epoch of the same owner, whatever we watched", () => {
    expect(compared(hold(), hold({ epoch: 5 }))).toBe("changed");
    expect(compared(hold(), hold({ epoch: 5 }), "1", "2")).toBe("changed");
    expect(compared(hold(), hold({ epoch: 5 }), NO_SIGHT)).toBe("changed");
  });

  it("is unsure when we were blind in between", () => {
    expect(compared(hold(), hold(), "1", "2")).toBe("unsure");
  });

  it("is always unsure without sight", () => {
    expect(compared(hold(), hold(), NO_SIGHT)).toBe("unsure");
    expect(compared(hold(), hold(), "1", NO_SIGHT)).toBe("unsure");
    expect(compared(hold(), hold(), NO_SIGHT, "1")).toBe("unsure");
  });

  it("names all holders", () => {
    const shared = (one: string, two: string) =>
      hold({ owner: one, others: [hold({ owner: two }).seen.holders[0]] });
    expect(compared(shared("ab", "c"), shared("ab", "c"))).toBe("same");
    expect(compared(shared("ab", "c"), shared("a", "bc"))).toBe("changed");
    expect(compared(shared("ab", "c"), hold({ owner: "ab" }))).toBe("changed");
  });

  it("does not give away the owner, and fits what a request may carry", () => {
    const version = versionOf({ ...hold({ owner: "x".repeat(5000), epoch: 2 ** 53 }), sight: "123456" });
    expect(version).not.toContain("xxx");
    expect(version.length).toBeLessThanOrEqual(400);
  });
});

describe("a version that another process gave", () => {
  async function fromAnotherProcess(then: Hold): Promise<string> {
    vi.resetModules();
    const other = await import("./version.ts");
    return other.versionOf(then);
  }

  it("is unsure for the same foreign owner, whatever the epoch says", async () => {
    const version = await fromAnotherProcess(hold());
    expect(compareVersion(version, hold())).toBe("unsure");
    expect(compareVersion(version, hold({ epoch: 5 }))).toBe("unsure");
    expect(compareVersion(version, { ...hold(), sight: NO_SIGHT })).toBe("unsure");
  });

  it("is changed for another owner", async () => {
    expect(compareVersion(await fromAnotherProcess(hold()), hold({ owner: "uuid:2" }))).toBe("changed");
  });

  it("is the same for a hold of ours, which the fence names everywhere", async () => {
    expect(compareVersion(await fromAnotherProcess(ours()), ours())).toBe("same");
  });
});

describe("something that is no version", () => {
  it.each(["", "fence.", "fence.77.1", "seen", "seen....", "junk", "\0"])("%j is changed", (text) => {
    expect(compareVersion(text, ours())).toBe("changed");
    expect(compareVersion(text, hold())).toBe("changed");
  });
});
