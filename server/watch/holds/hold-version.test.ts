import { describe, expect, it, vi } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import type { SeenHolder } from "../../formats/observation.ts";
import { holdOf } from "./continuity.ts";
import { holderVersionOf, matchVersion, NO_SIGHT, versionOf } from "./hold-version.ts";
import type { Hold } from "./observed-hold.ts";

interface Given extends Partial<SeenHolder> {
  epoch?: number;
  remainingMs?: number;
  others?: SeenHolder[];
  format?: FormatName;
  candidates?: FormatName[];
  doubts?: number;
}

/** A foreign hold unless it is given a fence. */
function hold({ epoch = 4, remainingMs = 30_000, others = [], doubts = 0, ...more }: Given = {}): Hold {
  const { format = "redisson", candidates = [], ...given } = more;
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
  const seen = {
    ...({
      state: "held",
      key: "lock:a",
      asOf: 1000,
      type: "hash",
      kind: "lock",
      confidence: "certain",
    } as const),
    ...{ format, candidates, remainingMs, holders: [first, ...others] as const },
  };
  const of = holdOf(undefined, seen, { wasGone: false, since: "exact", sight: "1" }, () => epoch);
  const [one, ...rest] = of.holders.map((holder) => ({ ...holder, doubts }));
  return one === undefined ? of : { ...of, holders: [one, ...rest] };
}

/** What becomes of a version given under `sight` when `now` is there under `sightNow`. */
const compared = (then: Hold, now: Hold, sight = "1", sightNow = sight) =>
  compare(versionOf({ ...then, sight }), { ...now, sight: sightNow });
const compare = (version: string, now: Hold) => matchVersion(version, now).comparison;

const ours = (given: Given = {}) => hold({ owner: "me", fence: "77", ...given });

describe("versions of Lockkeeper holds", () => {
  it.each([
    ["1", "1"],
    ["1", "2"],
    ["1", NO_SIGHT],
    [NO_SIGHT, NO_SIGHT],
  ])("a Lockkeeper hold with the same fencing token compares as same across observation sessions (%s, then %s)", (sight, sightNow) => {
    expect(compared(ours(), ours({ epoch: 9 }), sight, sightNow)).toBe("same");
  });

  it("the version of a Lockkeeper hold does not depend on count, lease or number of changes", () => {
    expect(compared(ours(), ours({ count: 3, remainingMs: 5, seq: 12, leaseMs: 9 }))).toBe("same");
  });

  it("a Lockkeeper hold with another fencing token compares as changed, even for the same owner", () => {
    expect(compared(ours(), ours({ fence: "78" }))).toBe("changed");
  });

  it("a Lockkeeper hold replaced by a foreign hold compares as changed, and vice versa", () => {
    expect(compared(ours(), hold({ owner: "me" }))).toBe("changed");
    expect(compared(hold({ owner: "me" }), ours())).toBe("changed");
    expect(compared(ours(), hold(), NO_SIGHT)).toBe("changed");
  });
});

describe("versions of foreign holds", () => {
  it("a foreign hold with the same owner and epoch compares as same within one observation session", () => {
    expect(compared(hold(), hold())).toBe("same");
    expect(compared(hold(), hold({ count: 2, remainingMs: 7 }))).toBe("same");
  });

  it("a foreign hold with another owner compares as changed in any observation session", () => {
    for (const [sight, now] of [
      ["1", "1"],
      ["1", "2"],
      ["1", NO_SIGHT],
      [NO_SIGHT, NO_SIGHT],
    ])
      expect(compared(hold(), hold({ owner: "uuid:2" }), sight, now)).toBe("changed");
  });

  it("a foreign hold with another epoch compares as changed in any observation session", () => {
    expect(compared(hold(), hold({ epoch: 5 }))).toBe("changed");
    expect(compared(hold(), hold({ epoch: 5 }), "1", "2")).toBe("changed");
    expect(compared(hold(), hold({ epoch: 5 }), NO_SIGHT)).toBe("changed");
  });

  it("a foreign hold compares as unsure in another observation session", () => {
    expect(compared(hold(), hold(), "1", "2")).toBe("unsure");
  });

  it("a foreign hold compares as unsure without an observation session", () => {
    expect(compared(hold(), hold(), NO_SIGHT)).toBe("unsure");
    expect(compared(hold(), hold(), "1", NO_SIGHT)).toBe("unsure");
    expect(compared(hold(), hold(), NO_SIGHT, "1")).toBe("unsure");
  });

  it("the version of a foreign hold covers all its holders", () => {
    const shared = (one: string, two: string) =>
      hold({ owner: one, others: [hold({ owner: two }).seen.holders[0]] });
    expect(compared(shared("ab", "c"), shared("ab", "c"))).toBe("same");
    expect(compared(shared("ab", "c"), shared("a", "bc"))).toBe("changed");
    expect(compared(shared("ab", "c"), hold({ owner: "ab" }))).toBe("changed");
  });

  it("a version does not reveal the owner and fits into a request", () => {
    const version = versionOf({ ...hold({ owner: "x".repeat(5000), epoch: 2 ** 53 }), sight: "123456" });
    expect(version).not.toContain("xxx");
    expect(version.length).toBeLessThanOrEqual(400);
  });
});

describe("versions of foreign holds with unique owner strings", () => {
  const token = (given: Given = {}) => hold({ owner: "a1b2", format: "redlock", ...given });

  it("a unique owner string identifies a hold in every process and without an observation session", () => {
    expect(versionOf(token())).toMatch(/^token\.[\w-]{12}$/);
    expect(compared(token(), token({ epoch: 9, remainingMs: 3 }), "1", NO_SIGHT)).toBe("same");
  });

  it("a hold with another unique owner string compares as changed", () => {
    expect(compared(token(), token({ owner: "a1b3" }), NO_SIGHT)).toBe("changed");
  });

  it("an ambiguous format gives a token version only if all candidates have unique owner strings", () => {
    const may = (candidates: FormatName[]) => versionOf(token({ candidates }));
    expect(may(["redsync", "pottery"])).toBe(versionOf(token()));
    expect(may(["redsync", "spring"])).toMatch(/^seen\./);
  });

  it("a version survives a rule that names the format and is unsure after one with reusable owner strings", () => {
    expect(compared(hold({ owner: "a1b2", format: "spring" }), token())).toBe("same");
    expect(compared(token(), hold({ owner: "a1b2", format: "spring" }))).toBe("unsure");
    expect(compared(token(), hold({ owner: "x", format: "spring" }))).toBe("changed");
  });
});

describe("versions of shared locks", () => {
  const member = (owner: string, more: Given = {}) => hold({ owner, ...more }).seen.holders[0];
  const shared = (given: Given = {}) =>
    hold({ owner: "a", others: [member("b"), member("c")], format: "redisson", ...given });
  const one = (of: Hold, owner: string) => {
    const holder = of.holders.find(({ seen }) => seen.owner === owner);
    return holder === undefined ? "" : holderVersionOf(of, holder);
  };

  it("a version names one holder or the lock as a whole", () => {
    const now = shared();
    expect(matchVersion(versionOf(now), now)).toEqual({ comparison: "same", holder: undefined });
    expect(matchVersion(one(now, "b"), now)).toMatchObject({
      comparison: "same",
      holder: { seen: { owner: "b" } },
    });
  });

  it("a holder's version stays the same when another joins or leaves, but the lock's version changes", () => {
    const [then, now] = [shared(), shared({ others: [member("b")] })];
    expect(compare(one(then, "b"), now)).toBe("same");
    expect(compare(versionOf(then), now)).toBe("changed");
    expect(compare(one(then, "c"), now)).toBe("changed");
  });

  it("the version of a shared lock does not depend on the order of its holders", () => {
    const [then, now] = [shared(), hold({ owner: "c", others: [member("a"), member("b")] })];
    expect(compare(versionOf(then), now)).toBe("same");
  });

  it("versions of shared locks are unsure after a break or when an exit could not be attributed", () => {
    const now = { ...shared(), sight: "2" };
    expect(matchVersion(one(shared(), "b"), now)).toMatchObject({
      comparison: "unsure",
      holder: { seen: { owner: "b" } },
    });
    expect(compare(versionOf(shared()), now)).toBe("unsure");
    expect(compared(shared(), shared({ doubts: 1 }))).toBe("unsure");
  });

  it("versions of shared locks are certain when every owner string is unique", () => {
    const tokens = shared({ format: "medallion" });
    expect(versionOf(tokens)).toMatch(/^all\./);
    expect(compare(versionOf(tokens), { ...tokens, sight: NO_SIGHT })).toBe("same");
    expect(compare(versionOf(tokens), shared({ format: "medallion", others: [member("b")] }))).toBe(
      "changed",
    );
    expect(one(tokens, "b")).toMatch(/^token\./);
  });

  it("a reader and a writer with the same owner string have different versions", () => {
    const both = hold({ owner: "a", role: "write", others: [member("a", { role: "read" })] });
    const [write, read] = both.holders.map((holder) => holderVersionOf(both, holder));
    expect(write).not.toBe(read);
    expect(matchVersion(read ?? "", both).holder?.seen.role).toBe("read");
  });
});

describe("versions from another process", () => {
  async function fromAnotherProcess(then: Hold): Promise<string> {
    vi.resetModules();
    const other = await import("./hold-version.ts");
    return other.versionOf(then);
  }

  it("a version from another process is unsure for the same foreign owner and any epoch", async () => {
    const version = await fromAnotherProcess(hold());
    expect(compare(version, hold())).toBe("unsure");
    expect(compare(version, hold({ epoch: 5 }))).toBe("unsure");
    expect(compare(version, { ...hold(), sight: NO_SIGHT })).toBe("unsure");
  });

  it("a version from another process compares as changed for another owner", async () => {
    expect(compare(await fromAnotherProcess(hold()), hold({ owner: "uuid:2" }))).toBe("changed");
  });

  it("a version from another process compares as same for a Lockkeeper hold", async () => {
    expect(compare(await fromAnotherProcess(ours()), ours())).toBe("same");
  });
});

describe("malformed versions", () => {
  it.each(["", "fence.", "fence.77.1", "seen", "seen....", "token.", "all.", "junk", "\0"])(
    "the malformed version %j compares as changed",
    (text) => {
      expect(compare(text, ours())).toBe("changed");
      expect(compare(text, hold())).toBe("changed");
    },
  );
});
