import { describe, expect, it } from "vitest";
import { unrecorded } from "./recorded-timeline.ts";
import type { Unnumbered, UnnumberedEntry } from "./stream-entry.ts";

const own = (
  type: Unnumbered["type"],
  fence: number,
  seq: number,
  more: Partial<Unnumbered> = {},
): Unnumbered => ({
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
const foreign = (type: Unnumbered["type"], at: number, owner = "they"): Unnumbered => ({
  type,
  target: "t",
  key: "lock:a",
  at,
  owner,
  ...(type === "released" ? {} : { count: 1 }),
  observed: "derived",
});
const gap: UnnumberedEntry = { type: "gap", target: "t", at: 0, from: 0, to: 0 };

describe("unrecorded events", () => {
  it("events of a Lockkeeper hold are unrecorded only after its last recorded sequence number", () => {
    const told = [own("acquired", 100, 1, { observed: "derived" })];
    const mine = [own("acquired", 100, 1), own("reentered", 100, 2), own("released", 100, 3, { count: 0 })];
    expect(unrecorded(mine, told)).toEqual(mine.slice(1));
    expect(unrecorded(mine, mine)).toEqual([]);
  });

  it("a second end of a hold is unrecorded only if it adds who force-released it", () => {
    const told = [own("acquired", 100, 1), own("released", 100, 2, { count: 0, observed: "derived" })];
    const expired = own("expired", 100, 1, { count: 0 });
    const freed = own("force_released", 100, 2, { count: 0, by: "mei" });
    expect(unrecorded([expired], told)).toEqual([]);
    expect(unrecorded([freed], told)).toEqual([freed]);
    expect(unrecorded([freed], [...told, freed])).toEqual([]);
  });

  it("events of an earlier hold are never recorded after a later one", () => {
    expect(unrecorded([own("released", 100, 2, { count: 0 })], [own("acquired", 200, 1)])).toEqual([]);
  });

  it("inferred events continue after the same change, even if their times differ between instances", () => {
    const told = [foreign("acquired", 1000), foreign("released", 1060)];
    const mine = [
      foreign("acquired", 990),
      foreign("released", 1050),
      foreign("acquired", 1058),
      foreign("released", 1090),
    ];
    expect(unrecorded(mine, told)).toEqual(mine.slice(2));
  });

  it("inferred events that contradict the recorded state are dropped", () => {
    expect(unrecorded([foreign("acquired", 90_000)], [foreign("acquired", 1000)])).toEqual([]);
    const told = [foreign("acquired", 1000), foreign("released", 2000)];
    expect(unrecorded([foreign("released", 90_000)], told)).toEqual([]);
  });

  it("a seen event is recorded only after a gap", () => {
    const [held, seen] = [own("acquired", 100, 1), own("seen", 100, 1, { at: 900 })];
    expect(unrecorded([seen], [held])).toEqual([]);
    expect(unrecorded([seen], [held], true)).toEqual([seen]);
    expect(unrecorded([seen], [held, gap])).toEqual([seen]);
    expect(unrecorded([foreign("seen", 90_000)], [foreign("acquired", 1000), gap])).toHaveLength(1);
  });
});
