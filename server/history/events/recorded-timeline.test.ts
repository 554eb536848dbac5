import { describe, expect, it } from "vitest";
import { filterUnrecordedEvents } from "./recorded-timeline.ts";
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
