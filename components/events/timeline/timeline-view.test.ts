import { describe, expect, it } from "vitest";
import type { HoldBar, Timeline } from "./timeline-bars.ts";
import {
  computeTicks,
  findNextBar,
  LATEST_BARS,
  selectTimelineView,
  toTimelinePercent,
} from "./timeline-view.ts";

const bar = (owner: string, from: number, to: number): HoldBar => ({
  ...{ id: `${owner}${from}`, owner, fence: undefined, from, to },
  ...{ fromIs: "exact", end: "released", ended: undefined, requests: [] },
});
const lanes = [
  { owner: "ada", bars: [bar("ada", 0, 10), bar("ada", 50, 60)] },
  { owner: "bob", bars: [bar("bob", 20, 30)] },
];
const timeline = (more: Partial<Timeline> = {}): Timeline => ({
  ...{ lanes, overlaps: [], gaps: [], from: 0, to: 100 },
  ...more,
});

describe("visible part of a timeline", () => {
  it("a timeline starts with the latest holds, or with the first one if all are requested", () => {
    const bars = Array.from({ length: LATEST_BARS + 5 }, (_, n) => bar("ada", n * 10, n * 10 + 5));
    const many = timeline({ lanes: [{ owner: "ada", bars }], to: 200 });
    expect(selectTimelineView(many, "latest").lanes[0]?.bars[0]?.from).toBe(50);
    expect(selectTimelineView(many, "latest").from).toBeCloseTo(47);
    expect(selectTimelineView(many, "all").lanes[0]?.bars).toHaveLength(LATEST_BARS + 5);
  });

  it("a timeline draws twelve holders and counts the others", () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ owner: `${n}`, bars: [bar(`${n}`, n, n + 1)] }));
    const view = selectTimelineView(timeline({ lanes: many }), "all");
    expect([view.lanes.length, view.others]).toEqual([12, 8]);
  });

  it("any time maps to a position inside the timeline", () => {
    const view = { from: 100, to: 200 };
    expect([0, 100, 150, 200, 999].map((at) => toTimelinePercent(view, at))).toEqual([0, 0, 50, 100, 100]);
  });

  it("keyboard navigation moves to the next hold in time, or across to the closest hold", () => {
    const go = (active: string | undefined, key: string) => findNextBar(lanes, active, key)?.id;
    expect(go(undefined, "ArrowRight")).toBe("ada50");
    expect(go("ada0", "ArrowRight")).toBe("bob20");
    expect(go("bob20", "ArrowLeft")).toBe("ada0");
    expect(go("ada0", "ArrowLeft")).toBe("ada0");
    expect(go("ada50", "ArrowRight")).toBe("ada50");
    expect([go("bob20", "Home"), go("bob20", "End")]).toEqual(["ada0", "ada50"]);
    expect(go("bob20", "ArrowUp")).toBe("ada0");
    expect(go("ada50", "ArrowDown")).toBe("bob20");
    expect(go("bob20", "ArrowDown")).toBe("bob20");
    expect(findNextBar([], undefined, "Home")).toBeUndefined();
  });
});

it("the time axis has at most six round ticks within its range", () => {
  const minute = 60_000;
  expect(computeTicks({ from: 1000, to: 4 * minute })).toEqual([minute, 2 * minute, 3 * minute]);
  for (const spanMs of [1, 900, 21_000, 3 * minute, 5 * 3_600_000, 40 * 86_400_000, 4e12]) {
    const ticks = computeTicks({ from: 123_457, to: 123_457 + spanMs });
    expect(ticks.length).toBeLessThanOrEqual(6);
    expect(ticks.every((at) => at >= 123_457 && at < 123_457 + spanMs)).toBe(true);
  }
});
