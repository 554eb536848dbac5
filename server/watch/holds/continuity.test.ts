import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { type HeldObservation, strangerOf } from "../../formats/observation.ts";
import { type Circumstances, holdOf } from "./continuity.ts";
import type { Hold } from "./observed-hold.ts";

const NOW = 1_790_000_000_000;
const CALM: Circumstances = { wasGone: false, since: "exact", sight: "1" };

interface Look {
  owners: readonly [string, ...string[]];
  asOf?: number;
  format?: FormatName;
  state?: "held" | "ended";
}

function look({ owners, asOf = NOW, format = "redisson", state = "held" }: Look): HeldObservation {
  const [first, ...others] = owners;
  return {
    ...({ key: "k", type: "hash", candidates: [], kind: "read", confidence: "certain" } as const),
    ...{ state, asOf, format, remainingMs: 30_000 },
    holders: [strangerOf(first), ...others.map((owner) => strangerOf(owner))],
  };
}

/** Looks at one key, one after the other. */
class Looking {
  #epochs = 0;
  hold: Hold | undefined;

  at(what: Look, circumstances: Partial<Circumstances> = {}): this {
    this.hold = holdOf(this.hold, look(what), { ...CALM, ...circumstances }, () => ++this.#epochs);
    return this;
  }

  of(owner: string) {
    const found = this.hold?.holders.find(({ seen }) => seen.owner === owner);
    if (found === undefined) throw new Error(`${owner} is not there`);
    return found;
  }
}

describe("holders of a shared lock", () => {
  it("each holder of a shared lock keeps its own epoch and start time as others join and leave", () => {
    const looking = new Looking().at({ owners: ["a", "b"] });
    const { epoch } = looking.of("b");
    looking.at({ owners: ["c", "b"], asOf: NOW + 500 });
    expect(looking.of("b")).toMatchObject({ epoch, firstSeenMs: NOW });
    expect(looking.of("c")).toMatchObject({ firstSeenMs: NOW + 500 });
    expect(looking.of("c").epoch).toBeGreaterThan(epoch);
    looking.at({ owners: ["b", "a"], asOf: NOW + 900 });
    expect(looking.of("b").epoch).toBe(epoch);
    expect(looking.of("a")).toMatchObject({ firstSeenMs: NOW + 900 });
  });

  it("all holders get new epochs after the key was gone, unless their format never reuses owner strings", () => {
    const looking = new Looking().at({ owners: ["a", "b"] });
    const before = looking.hold?.holders.map(({ epoch }) => epoch) ?? [];
    looking.at({ owners: ["a", "b"] }, { wasGone: true });
    for (const { epoch } of looking.hold?.holders ?? []) expect(before).not.toContain(epoch);
    const tokens = new Looking().at({ owners: ["a", "b"], format: "medallion" });
    const { epoch } = tokens.of("a");
    expect(tokens.at({ owners: ["a"], format: "medallion" }, { wasGone: true }).of("a").epoch).toBe(epoch);
  });

  it("holders keep their epochs but are marked doubtful when more exits were seen than holders are missing", () => {
    const looking = new Looking().at({ owners: ["a", "b"] });
    const { epoch } = looking.of("a");
    looking.at({ owners: ["a", "b"], asOf: NOW + 5 }, { isDoubtful: true });
    expect(looking.of("a")).toMatchObject({ epoch, doubts: 1, firstSeenMs: NOW + 5, since: "at_least" });
    expect(looking.at({ owners: ["a", "b"] }, { isDoubtful: true }).of("a").doubts).toBe(2);
  });

  it("one owner string can hold a shared lock more than once, with a separate epoch each", () => {
    const looking = new Looking().at({ owners: ["a", "a"] });
    const epochs = looking.hold?.holders.map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBe(2);
    looking.at({ owners: ["a", "a"] });
    expect(looking.hold?.holders.map(({ epoch }) => epoch)).toEqual(epochs);
  });
});

describe("holds past their deadline", () => {
  const again = (format: FormatName) => {
    const looking = new Looking().at({ owners: ["a"], format });
    const { epoch } = looking.of("a");
    looking.at({ owners: ["a"], format, state: "ended" });
    expect(looking.of("a").epoch).toBe(epoch);
    return looking.at({ owners: ["a"], format }).of("a").epoch - epoch;
  };

  it("a hold past its deadline gets a new epoch when held again, only if its format can reuse the owner string", () => {
    expect(again("timestamp")).toBeGreaterThan(0);
    expect(again("medallion")).toBe(0);
  });
});

it("the longest observed TTL resets when none of the previous holders remains", () => {
  const looking = new Looking().at({ owners: ["a"] });
  expect(looking.at({ owners: ["a", "b"] }).hold?.longestMs).toBe(30_000);
  const short = { ...look({ owners: ["c"] }), remainingMs: 5 };
  expect(holdOf(looking.hold, short, CALM, () => 99).longestMs).toBe(5);
  expect(holdOf(looking.hold, { ...short, holders: [strangerOf("b")] }, CALM, () => 99).longestMs).toBe(
    30_000,
  );
});
