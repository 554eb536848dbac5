import { describe, expect, it } from "vitest";
import type { FormatName } from "../../../lib/contract/format.ts";
import { createForeignHolder, type HeldObservation } from "../../formats/observation.ts";
import { updateHold } from "./continuity.ts";
import type { ObservationContext } from "./holder-matcher.ts";
import type { ObservedHold } from "./observed-hold.ts";

const NOW = 1_790_000_000_000;
const UNDISTURBED: ObservationContext = { wasGone: false, since: "exact", continuityId: "1" };

interface HoldInput {
  owners: readonly [string, ...string[]];
  asOf?: number;
  format?: FormatName;
  state?: "held" | "ended";
}

function buildObservation({
  owners,
  asOf = NOW,
  format = "redisson",
  state = "held",
}: HoldInput): HeldObservation {
  const [first, ...others] = owners;
  return {
    ...({ key: "k", type: "hash", candidates: [], kind: "read", confidence: "certain" } as const),
    ...{ state, asOf, format, remainingMs: 30_000 },
    holders: [createForeignHolder(first), ...others.map((owner) => createForeignHolder(owner))],
  };
}

/** Applies successive observations of one key. */
class HoldFixture {
  #epochs = 0;
  hold: ObservedHold | undefined;

  applyReading(what: HoldInput, circumstances: Partial<ObservationContext> = {}): this {
    this.hold = updateHold(
      this.hold,
      buildObservation(what),
      { ...UNDISTURBED, ...circumstances },
      () => ++this.#epochs,
    );
    return this;
  }

  findHolder(owner: string) {
    const found = this.hold?.holders.find(({ seen }) => seen.owner === owner);
    if (found === undefined) throw new Error(`${owner} is not there`);
    return found;
  }
}

describe("holders of a shared lock", () => {
  it("each holder of a shared lock keeps its own epoch and start time as others join and leave", () => {
    const looking = new HoldFixture().applyReading({ owners: ["a", "b"] });
    const { epoch } = looking.findHolder("b");
    looking.applyReading({ owners: ["c", "b"], asOf: NOW + 500 });
    expect(looking.findHolder("b")).toMatchObject({ epoch, firstSeenMs: NOW });
    expect(looking.findHolder("c")).toMatchObject({ firstSeenMs: NOW + 500 });
    expect(looking.findHolder("c").epoch).toBeGreaterThan(epoch);
    looking.applyReading({ owners: ["b", "a"], asOf: NOW + 900 });
    expect(looking.findHolder("b").epoch).toBe(epoch);
    expect(looking.findHolder("a")).toMatchObject({ firstSeenMs: NOW + 900 });
  });

  it("all holders get new epochs after the key was gone, unless their format never reuses owner strings", () => {
    const looking = new HoldFixture().applyReading({ owners: ["a", "b"] });
    const before = looking.hold?.holders.map(({ epoch }) => epoch) ?? [];
    looking.applyReading({ owners: ["a", "b"] }, { wasGone: true });
    for (const { epoch } of looking.hold?.holders ?? []) expect(before).not.toContain(epoch);
    const tokens = new HoldFixture().applyReading({ owners: ["a", "b"], format: "medallion" });
    const { epoch } = tokens.findHolder("a");
    expect(
      tokens.applyReading({ owners: ["a"], format: "medallion" }, { wasGone: true }).findHolder("a").epoch,
    ).toBe(epoch);
  });

  it.each([
    ["1", "exact"],
    ["2", "at_least"],
  ])(
    "after a removal, the start of a new hold is known unless notifications were lost (%s: %s)",
    (continuityId, since) => {
      const looking = new HoldFixture().applyReading({ owners: ["a"] });
      const circumstances = { wasGone: true, since: "at_least", continuityId } as const;
      for (const owner of ["a", "b"])
        expect(
          looking.applyReading({ owners: [owner], asOf: NOW + 60_000 }, circumstances).findHolder(owner),
        ).toMatchObject({ firstSeenMs: NOW + 60_000, since: owner === "a" ? since : "exact" });
    },
  );

  it("holders keep their epochs but are marked doubtful when more exits were seen than holders are missing", () => {
    const looking = new HoldFixture().applyReading({ owners: ["a", "b"] });
    const { epoch } = looking.findHolder("a");
    looking.applyReading({ owners: ["a", "b"], asOf: NOW + 5 }, { hasAmbiguousExit: true });
    expect(looking.findHolder("a")).toMatchObject({
      epoch,
      ambiguousExits: 1,
      firstSeenMs: NOW + 5,
      since: "at_least",
    });
    expect(
      looking.applyReading({ owners: ["a", "b"] }, { hasAmbiguousExit: true }).findHolder("a").ambiguousExits,
    ).toBe(2);
  });

  it("one owner string can hold a shared lock more than once, with a separate epoch each", () => {
    const looking = new HoldFixture().applyReading({ owners: ["a", "a"] });
    const epochs = looking.hold?.holders.map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBe(2);
    looking.applyReading({ owners: ["a", "a"] });
    expect(looking.hold?.holders.map(({ epoch }) => epoch)).toEqual(epochs);
  });
});

describe("holds past their deadline", () => {
  const again = (format: FormatName) => {
    const looking = new HoldFixture().applyReading({ owners: ["a"], format });
    const { epoch } = looking.findHolder("a");
    looking.applyReading({ owners: ["a"], format, state: "ended" });
    expect(looking.findHolder("a").epoch).toBe(epoch);
    return looking.applyReading({ owners: ["a"], format }).findHolder("a").epoch - epoch;
  };

  it("a hold past its deadline gets a new epoch when held again, only if its format can reuse the owner string", () => {
    expect(again("timestamp")).toBeGreaterThan(0);
    expect(again("medallion")).toBe(0);
  });
});

it("the longest observed TTL resets when none of the previous holders remains", () => {
  const looking = new HoldFixture().applyReading({ owners: ["a"] });
  expect(looking.applyReading({ owners: ["a", "b"] }).hold?.longestMs).toBe(30_000);
  const short = { ...buildObservation({ owners: ["c"] }), remainingMs: 5 };
  expect(updateHold(looking.hold, short, UNDISTURBED, () => 99).longestMs).toBe(5);
  expect(
    updateHold(looking.hold, { ...short, holders: [createForeignHolder("b")] }, UNDISTURBED, () => 99)
      .longestMs,
  ).toBe(30_000);
});
