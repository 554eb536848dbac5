import { describe, expect, it, vi } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { createForeignHolder, type SeenHolder } from "../../formats/observation.ts";
import { updateHold } from "./continuity.ts";
import { buildHolderVersion, buildHoldVersion, matchVersion, NO_CONTINUITY } from "./hold-version.ts";
import type { ObservedHold } from "./observed-hold.ts";

interface HoldInput extends Partial<SeenHolder> {
  epoch?: number;
  remainingMs?: number;
  others?: SeenHolder[];
  format?: FormatName;
  candidates?: FormatName[];
  ambiguousExits?: number;
}

/** Builds a foreign hold, or a Lockkeeper hold if `fence` is given. */
function buildHold({
  epoch = 4,
  remainingMs = 30_000,
  others = [],
  ambiguousExits = 0,
  ...more
}: HoldInput = {}): ObservedHold {
  const { format = "redisson", candidates = [], ...given } = more;
  const owner = given.owner ?? "uuid:1";
  const first: SeenHolder = {
    token: given.fence ? `ours:${given.fence}` : owner,
    owner,
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
  const of = updateHold(undefined, seen, { wasGone: false, since: "exact", continuityId: "1" }, () => epoch);
  const [one, ...rest] = of.holders.map((holder) => ({ ...holder, ambiguousExits: ambiguousExits }));
  return one === undefined ? of : { ...of, holders: [one, ...rest] };
}

/** Compares a version from one observation period with a hold of the same or another period. */
const compareHolds = (then: ObservedHold, now: ObservedHold, period = "1", periodNow = period) =>
  compareVersion(buildHoldVersion({ ...then, continuityId: period }), { ...now, continuityId: periodNow });
const compareVersion = (version: string, now: ObservedHold) => matchVersion(version, now).comparison;

const buildOwnHold = (given: HoldInput = {}) => buildHold({ owner: "me", fence: "77", ...given });

describe("versions of Lockkeeper holds", () => {
  it.each([
    ["1", "1"],
    ["1", "2"],
    ["1", NO_CONTINUITY],
    [NO_CONTINUITY, NO_CONTINUITY],
  ])(
    "a Lockkeeper hold with the same fencing token compares as same across observation sessions (%s, then %s)",
    (period, periodNow) => {
      expect(compareHolds(buildOwnHold(), buildOwnHold({ epoch: 9 }), period, periodNow)).toBe("same");
    },
  );

  it("the version of a Lockkeeper hold does not depend on count, lease or number of changes", () => {
    expect(
      compareHolds(buildOwnHold(), buildOwnHold({ count: 3, remainingMs: 5, seq: 12, leaseMs: 9 })),
    ).toBe("same");
  });

  it("a Lockkeeper hold with another fencing token compares as changed, even for the same owner", () => {
    expect(compareHolds(buildOwnHold(), buildOwnHold({ fence: "78" }))).toBe("changed");
  });

  it("in a shared lock, a foreign holder named like the label of a Lockkeeper hold has a version of its own", () => {
    const [label] = [createForeignHolder("uuid:2")];
    const hold = buildOwnHold({ owner: "uuid:2", others: [label] });
    const [own, foreign] = hold.holders.map((holder) => buildHolderVersion(hold, holder));
    expect(own).not.toBe(foreign);
    expect(matchVersion(own ?? "", hold).holder?.seen.fence).toBe("77");
    expect(matchVersion(foreign ?? "", hold).holder?.seen.fence).toBeNull();
  });

  it("a Lockkeeper hold replaced by a foreign hold compares as changed, and vice versa", () => {
    expect(compareHolds(buildOwnHold(), buildHold({ owner: "me" }))).toBe("changed");
    expect(compareHolds(buildHold({ owner: "me" }), buildOwnHold())).toBe("changed");
    expect(compareHolds(buildOwnHold(), buildHold(), NO_CONTINUITY)).toBe("changed");
  });
});

describe("versions of foreign holds", () => {
  it("a foreign hold with the same owner and epoch compares as same within one observation session", () => {
    expect(compareHolds(buildHold(), buildHold())).toBe("same");
    expect(compareHolds(buildHold(), buildHold({ count: 2, remainingMs: 7 }))).toBe("same");
  });

  it("a foreign hold with another owner compares as changed in any observation session", () => {
    for (const [period, now] of [
      ["1", "1"],
      ["1", "2"],
      ["1", NO_CONTINUITY],
      [NO_CONTINUITY, NO_CONTINUITY],
    ])
      expect(compareHolds(buildHold(), buildHold({ owner: "uuid:2" }), period, now)).toBe("changed");
  });

  it("a foreign hold with another epoch compares as changed in any observation session", () => {
    expect(compareHolds(buildHold(), buildHold({ epoch: 5 }))).toBe("changed");
    expect(compareHolds(buildHold(), buildHold({ epoch: 5 }), "1", "2")).toBe("changed");
    expect(compareHolds(buildHold(), buildHold({ epoch: 5 }), NO_CONTINUITY)).toBe("changed");
  });

  it("a foreign hold compares as unsure in another observation session", () => {
    expect(compareHolds(buildHold(), buildHold(), "1", "2")).toBe("unverified");
  });

  it("a foreign hold compares as unsure without an observation session", () => {
    expect(compareHolds(buildHold(), buildHold(), NO_CONTINUITY)).toBe("unverified");
    expect(compareHolds(buildHold(), buildHold(), "1", NO_CONTINUITY)).toBe("unverified");
    expect(compareHolds(buildHold(), buildHold(), NO_CONTINUITY, "1")).toBe("unverified");
  });

  it("the version of a foreign hold covers all its holders", () => {
    const shared = (one: string, two: string) =>
      buildHold({ owner: one, others: [buildHold({ owner: two }).seen.holders[0]] });
    expect(compareHolds(shared("ab", "c"), shared("ab", "c"))).toBe("same");
    expect(compareHolds(shared("ab", "c"), shared("a", "bc"))).toBe("changed");
    expect(compareHolds(shared("ab", "c"), buildHold({ owner: "ab" }))).toBe("changed");
  });

  it("a version does not reveal the owner and fits into a request", () => {
    const version = buildHoldVersion({
      ...buildHold({ owner: "x".repeat(5000), epoch: 2 ** 53 }),
      continuityId: "123456",
    });
    expect(version).not.toContain("xxx");
    expect(version.length).toBeLessThanOrEqual(400);
  });
});

describe("versions of foreign holds with unique owner strings", () => {
  const token = (given: HoldInput = {}) => buildHold({ owner: "a1b2", format: "redlock", ...given });

  it("a unique owner string identifies a hold in every process and without an observation session", () => {
    expect(buildHoldVersion(token())).toMatch(/^token\.[\w-]{12}$/);
    expect(compareHolds(token(), token({ epoch: 9, remainingMs: 3 }), "1", NO_CONTINUITY)).toBe("same");
  });

  it("a hold with another unique owner string compares as changed", () => {
    expect(compareHolds(token(), token({ owner: "a1b3" }), NO_CONTINUITY)).toBe("changed");
  });

  it("an ambiguous format gives a token version only if all candidates have unique owner strings", () => {
    const may = (candidates: FormatName[]) => buildHoldVersion(token({ candidates }));
    expect(may(["redsync", "pottery"])).toBe(buildHoldVersion(token()));
    expect(may(["redsync", "spring"])).toMatch(/^seen\./);
  });

  it("a version survives a rule that names the format and is unsure after one with reusable owner strings", () => {
    expect(compareHolds(buildHold({ owner: "a1b2", format: "spring" }), token())).toBe("same");
    expect(compareHolds(token(), buildHold({ owner: "a1b2", format: "spring" }))).toBe("unverified");
    expect(compareHolds(token(), buildHold({ owner: "x", format: "spring" }))).toBe("changed");
  });
});

describe("versions of shared locks", () => {
  const member = (owner: string, more: HoldInput = {}) => buildHold({ owner, ...more }).seen.holders[0];
  const shared = (given: HoldInput = {}) =>
    buildHold({ owner: "a", others: [member("b"), member("c")], format: "redisson", ...given });
  const one = (of: ObservedHold, owner: string) => {
    const holder = of.holders.find(({ seen }) => seen.owner === owner);
    return holder === undefined ? "" : buildHolderVersion(of, holder);
  };

  it("a version names one holder or the lock as a whole", () => {
    const now = shared();
    expect(matchVersion(buildHoldVersion(now), now)).toEqual({ comparison: "same", holder: undefined });
    expect(matchVersion(one(now, "b"), now)).toMatchObject({
      comparison: "same",
      holder: { seen: { owner: "b" } },
    });
  });

  it("a holder's version stays the same when another joins or leaves, but the lock's version changes", () => {
    const [then, now] = [shared(), shared({ others: [member("b")] })];
    expect(compareVersion(one(then, "b"), now)).toBe("same");
    expect(compareVersion(buildHoldVersion(then), now)).toBe("changed");
    expect(compareVersion(one(then, "c"), now)).toBe("changed");
  });

  it("the version of a shared lock does not depend on the order of its holders", () => {
    const [then, now] = [shared(), buildHold({ owner: "c", others: [member("a"), member("b")] })];
    expect(compareVersion(buildHoldVersion(then), now)).toBe("same");
  });

  it("versions of shared locks are unsure after a break or when an exit could not be attributed", () => {
    const now = { ...shared(), continuityId: "2" };
    expect(matchVersion(one(shared(), "b"), now)).toMatchObject({
      comparison: "unverified",
      holder: { seen: { owner: "b" } },
    });
    expect(compareVersion(buildHoldVersion(shared()), now)).toBe("unverified");
    expect(compareHolds(shared(), shared({ ambiguousExits: 1 }))).toBe("unverified");
  });

  it("versions of shared locks are certain when every owner string is unique", () => {
    const tokens = shared({ format: "medallion" });
    expect(buildHoldVersion(tokens)).toMatch(/^all\./);
    expect(compareVersion(buildHoldVersion(tokens), { ...tokens, continuityId: NO_CONTINUITY })).toBe("same");
    expect(
      compareVersion(buildHoldVersion(tokens), shared({ format: "medallion", others: [member("b")] })),
    ).toBe("changed");
    expect(one(tokens, "b")).toMatch(/^token\./);
  });

  it("a reader and a writer with the same owner string have different versions", () => {
    const both = buildHold({ owner: "a", role: "write", others: [member("a", { role: "read" })] });
    const [write, read] = both.holders.map((holder) => buildHolderVersion(both, holder));
    expect(write).not.toBe(read);
    expect(matchVersion(read ?? "", both).holder?.seen.role).toBe("read");
  });
});

describe("versions from another process", () => {
  async function fromAnotherProcess(then: ObservedHold): Promise<string> {
    vi.resetModules();
    const other = await import("./hold-version.ts");
    return other.buildHoldVersion(then);
  }

  it("a version from another process is unsure for the same foreign owner and any epoch", async () => {
    const version = await fromAnotherProcess(buildHold());
    expect(compareVersion(version, buildHold())).toBe("unverified");
    expect(compareVersion(version, buildHold({ epoch: 5 }))).toBe("unverified");
    expect(compareVersion(version, { ...buildHold(), continuityId: NO_CONTINUITY })).toBe("unverified");
  });

  it("a version from another process compares as changed for another owner", async () => {
    expect(compareVersion(await fromAnotherProcess(buildHold()), buildHold({ owner: "uuid:2" }))).toBe(
      "changed",
    );
  });

  it("a version from another process compares as same for a Lockkeeper hold", async () => {
    expect(compareVersion(await fromAnotherProcess(buildOwnHold()), buildOwnHold())).toBe("same");
  });
});

describe("malformed versions", () => {
  it.each(["", "fence.", "fence.77.1", "seen", "seen....", "token.", "all.", "junk", "\0"])(
    "the malformed version %j compares as changed",
    (text) => {
      expect(compareVersion(text, buildOwnHold())).toBe("changed");
      expect(compareVersion(text, buildHold())).toBe("changed");
    },
  );
});
