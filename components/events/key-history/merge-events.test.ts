import { describe, expect, it } from "vitest";
import type { GapEvent, LockEvent } from "@/lib/contract/event.ts";
import { selectEventsUntil } from "./merge-events.ts";

const event = (at: number): LockEvent => ({
  ...{ id: `${at}-0`, type: "acquired", at, target: "main", key: "lock:a", observed: "exact" },
});
const gap = (from: number, to: number): GapEvent => ({
  ...{ id: `${to}-1`, type: "gap", target: "main", from, to, at: to },
});

describe("events up to a time in the past", () => {
  it("has nothing that happened later", () => {
    expect(selectEventsUntil([event(30), event(20), event(10)], 20).map(({ at }) => at)).toEqual([20, 10]);
  });

  it("cuts a gap that lasted beyond the time, and leaves out one that began later", () => {
    expect(selectEventsUntil([gap(50, 60), gap(10, 40), gap(1, 2)], 20)).toMatchObject([
      { from: 10, to: 20, at: 20 },
      { from: 1, to: 2 },
    ]);
  });
});
