import { describe, expect, it } from "vitest";
import { filterUnrecordedEvents, isSameChange } from "./recorded-timeline.ts";
import type { UnnumberedEntry, UnnumberedEvent } from "./stream-entry.ts";

const buildOwnEvent = (
  type: UnnumberedEvent["type"],
  fence: number,
  seq: number,
  more: Partial<UnnumberedEvent> = {},
): UnnumberedEvent => ({
  type,
  target: "t",
  key: "lock:a",
  at: fence + seq,
  owner: "me",
  fence: String(fence),
  seq,
  count: 1,
  observed: "exact",
  ...more,
});
const buildForeignEvent = (type: UnnumberedEvent["type"], at: number, owner = "they"): UnnumberedEvent => ({
  type,
  target: "t",
  key: "lock:a",
  at,
  owner,
  ...(type === "released" ? {} : { count: 1 }),
  observed: "inferred",
});
/** Builds an event of a permit hold or a reader. `since` is the start of the hold. */
function buildSharedEvent(
  type: UnnumberedEvent["type"],
  since: number,
  { at = since, fence = 100, ...more }: Partial<Omit<UnnumberedEvent, "fence">> & { fence?: number } = {},
): UnnumberedEvent {
  const isEnd = type === "released" || type === "expired" || type === "force_released";
  const change = isEnd ? { seq: 2, count: 0, heldMs: at - since } : {};
  return buildOwnEvent(type, fence, 1, { at, shared: true, ...change, ...more });
}
const gap: UnnumberedEntry = { type: "gap", target: "t", at: 0, from: 0, to: 0 };

describe("unrecorded events", () => {
  it("events of a Lockkeeper hold are unrecorded only after its last recorded sequence number", () => {
    const recorded = [buildOwnEvent("acquired", 100, 1, { observed: "inferred" })];
    const mine = [
      buildOwnEvent("acquired", 100, 1),
      buildOwnEvent("reentered", 100, 2),
      buildOwnEvent("released", 100, 3, { count: 0 }),
    ];
    expect(filterUnrecordedEvents(mine, recorded)).toEqual(mine.slice(1));
    expect(filterUnrecordedEvents(mine, mine)).toEqual([]);
  });

  it("a second end of a hold is unrecorded only if it adds who force-released it", () => {
    const recorded = [
      buildOwnEvent("acquired", 100, 1),
      buildOwnEvent("released", 100, 2, { count: 0, observed: "inferred" }),
    ];
    const expired = buildOwnEvent("expired", 100, 1, { count: 0 });
    const freed = buildOwnEvent("force_released", 100, 2, { count: 0, by: "mei" });
    expect(filterUnrecordedEvents([expired], recorded)).toEqual([]);
    expect(filterUnrecordedEvents([freed], recorded)).toEqual([freed]);
    expect(filterUnrecordedEvents([freed], [...recorded, freed])).toEqual([]);
  });

  it("events of an earlier hold are never recorded after a later one", () => {
    expect(
      filterUnrecordedEvents(
        [buildOwnEvent("released", 100, 2, { count: 0 })],
        [buildOwnEvent("acquired", 200, 1)],
      ),
    ).toEqual([]);
  });

  it("inferred events continue after the same change, even if their times differ between instances", () => {
    const recorded = [buildForeignEvent("acquired", 1000), buildForeignEvent("released", 1060)];
    const mine = [
      buildForeignEvent("acquired", 990),
      buildForeignEvent("released", 1050),
      buildForeignEvent("acquired", 1058),
      buildForeignEvent("released", 1090),
    ];
    expect(filterUnrecordedEvents(mine, recorded)).toEqual(mine.slice(2));
  });

  it("inferred events that contradict the recorded state are dropped", () => {
    expect(
      filterUnrecordedEvents([buildForeignEvent("acquired", 90_000)], [buildForeignEvent("acquired", 1000)]),
    ).toEqual([]);
    const recorded = [buildForeignEvent("acquired", 1000), buildForeignEvent("released", 2000)];
    expect(filterUnrecordedEvents([buildForeignEvent("released", 90_000)], recorded)).toEqual([]);
  });

  it("a seen event is recorded only after a gap", () => {
    const [held, seen] = [buildOwnEvent("acquired", 100, 1), buildOwnEvent("seen", 100, 1, { at: 900 })];
    expect(filterUnrecordedEvents([seen], [held])).toEqual([]);
    expect(filterUnrecordedEvents([seen], [held], true)).toEqual([seen]);
    expect(filterUnrecordedEvents([seen], [held, gap])).toEqual([seen]);
    expect(
      filterUnrecordedEvents([buildForeignEvent("seen", 90_000)], [buildForeignEvent("acquired", 1000), gap]),
    ).toHaveLength(1);
  });
});

describe("unrecorded events of shared holds", () => {
  it("permit holds end in any order", () => {
    const recorded = [
      buildSharedEvent("acquired", 1000, { fence: 100, owner: "a" }),
      buildSharedEvent("acquired", 1010, { fence: 200, owner: "b" }),
    ];
    const ended = buildSharedEvent("released", 1000, { at: 1500, fence: 100, owner: "a" });
    expect(filterUnrecordedEvents([...recorded, ended], recorded)).toEqual([ended]);
    const { shared: _, ...plain } = ended;
    expect(filterUnrecordedEvents([plain], recorded)).toEqual([plain]);
    expect(filterUnrecordedEvents([ended], [...recorded, plain])).toEqual([]);
  });

  it("readers with the same fencing token have their own holds, also after a writer with this token", () => {
    const writer = [
      buildOwnEvent("acquired", 100, 1, { at: 900 }),
      buildOwnEvent("released", 100, 2, { at: 990, count: 0 }),
    ];
    const readers = [
      buildSharedEvent("acquired", 1000, { owner: "a" }),
      buildSharedEvent("acquired", 1010, { owner: "b" }),
      buildSharedEvent("released", 1000, { at: 1100, owner: "a" }),
      buildSharedEvent("released", 1010, { at: 1200, owner: "b" }),
      buildSharedEvent("acquired", 1300, { owner: "a" }),
    ];
    const own = [...writer, ...readers];
    own.forEach((_, count) => {
      expect(filterUnrecordedEvents(own, own.slice(0, count))).toEqual(own.slice(count));
    });
    expect(filterUnrecordedEvents(own, own)).toEqual([]);
  });

  it("readers with the same label have their own holds, even if they begin at the same time", () => {
    const own = [
      buildSharedEvent("acquired", 1000),
      buildSharedEvent("acquired", 1000),
      buildSharedEvent("acquired", 1010),
      buildSharedEvent("reentered", 1010, { at: 1020, seq: 2, count: 2 }),
      buildSharedEvent("released", 1000, { at: 1100 }),
      buildSharedEvent("released", 1010, { at: 1200, seq: 3 }),
      buildSharedEvent("released", 1000, { at: 1300 }),
    ];
    own.forEach((_, count) => {
      expect(filterUnrecordedEvents(own, own.slice(0, count))).toEqual(own.slice(count));
    });
    expect(filterUnrecordedEvents(own, own)).toEqual([]);
  });

  it("an inferred end is the same change as the end that another instance recorded", () => {
    const acquired = buildSharedEvent("acquired", 1000);
    const inferred = buildSharedEvent("expired", 1000, { at: 9000, observed: "inferred" });
    const recorded = [acquired, buildSharedEvent("released", 1000, { at: 1500 })];
    expect(filterUnrecordedEvents([acquired, inferred], recorded)).toEqual([]);
    const forced = buildSharedEvent("force_released", 1000, { at: 1500, by: "mei" });
    expect(filterUnrecordedEvents([forced], recorded)).toEqual([forced]);
    expect(filterUnrecordedEvents([forced, inferred], [...recorded, forced])).toEqual([]);
    expect(filterUnrecordedEvents([inferred], [acquired, forced])).toEqual([]);
  });

  it("each reader has its seen event after a gap", () => {
    const recorded = ["a", "a", "b"].map((owner) => buildSharedEvent("acquired", 1000, { owner }));
    const own = ["a", "a", "b"].map((owner) => buildSharedEvent("seen", 1000, { at: 5000, owner }));
    expect(filterUnrecordedEvents(own, recorded, true)).toEqual(own);
    expect(filterUnrecordedEvents(own, [...recorded, gap, ...own.slice(0, 1)])).toEqual(own.slice(1));
    expect(filterUnrecordedEvents(own, [...recorded, gap, ...own])).toEqual([]);
    expect(filterUnrecordedEvents(own, recorded)).toEqual([]);
    expect(filterUnrecordedEvents(own, [...recorded, gap, ...own], true)).toEqual(own);
    expect(filterUnrecordedEvents(own, [])).toEqual(own);
  });

  it("events of readers from before a recorded writer are never recorded after it", () => {
    const own = [buildSharedEvent("released", 1000, { at: 1500 })];
    expect(filterUnrecordedEvents(own, [buildOwnEvent("acquired", 200, 1)])).toEqual([]);
    const writer = [buildOwnEvent("released", 100, 2, { at: 990, count: 0 })];
    expect(filterUnrecordedEvents(writer, [buildSharedEvent("acquired", 1000)])).toEqual([]);
  });
});

describe("same change", () => {
  it("events of two readers are different changes, although their fencing token and sequence number are equal", () => {
    const [one, other] = ["a", "b"].map((owner) => buildSharedEvent("acquired", 1000, { owner }));
    if (one === undefined || other === undefined) throw new Error("unreachable");
    expect(isSameChange(one, other)).toBe(false);
    expect(isSameChange(one, { ...one, observed: "inferred" })).toBe(true);
    expect(isSameChange(one, buildSharedEvent("acquired", 1100, { owner: "a" }))).toBe(false);
    const ended = buildSharedEvent("released", 1000, { at: 1500, owner: "a" });
    expect(isSameChange(ended, buildSharedEvent("released", 1000, { at: 1500, owner: "b" }))).toBe(false);
    expect(isSameChange(ended, buildSharedEvent("expired", 1000, { at: 9000, owner: "a" }))).toBe(true);
    expect(isSameChange(ended, buildSharedEvent("released", 1200, { at: 1500, owner: "a" }))).toBe(false);
  });
});
