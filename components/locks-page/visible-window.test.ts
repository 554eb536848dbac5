import { describe, expect, it } from "vitest";
import { toggleSort } from "./columns/column-sorts.ts";
import { computeWindowLimit, computeWindowOffset, WINDOW_ROWS } from "./visible-window.ts";

describe("list window", () => {
  it("the list window stays while the visible rows are inside with a margin", () => {
    expect(computeWindowOffset(0, 20, 1000, 0)).toBe(0);
    expect(computeWindowOffset(60, 85, 1000, 0)).toBe(0);
    expect(computeWindowOffset(70, 95, 1000, 0)).not.toBe(0);
  });

  it("the list window always covers the visible rows after a jump", () => {
    for (const first of [0, 5, 37, 95, 500, 99_980]) {
      const last = Math.min(99_999, first + 24);
      const offset = computeWindowOffset(first, last, 100_000, 0);
      expect(offset).toBeLessThanOrEqual(first);
      expect(offset + WINDOW_ROWS).toBeGreaterThan(last);
    }
  });

  it("the first window is smaller and holds the visible rows with a margin", () => {
    expect(computeWindowLimit(0, 0)).toBeLessThan(WINDOW_ROWS);
    for (const last of [0, 23, 39]) expect(computeWindowLimit(0, last)).toBeGreaterThan(last + 10);
    for (const [first, last] of [
      [0, 40],
      [1, 24],
      [500, 524],
    ] as const) {
      expect(computeWindowLimit(first, last)).toBe(WINDOW_ROWS);
    }
  });

  it("a list shorter than the window is not requested again", () => {
    expect(computeWindowOffset(0, 2, 3, 0)).toBe(0);
    expect(computeWindowOffset(0, 0, 0, 0)).toBe(0);
  });
});

describe("column sorting", () => {
  it("a second click on a column reverses its sort order", () => {
    expect(toggleSort("key", "key")).toBe("-key");
    expect(toggleSort("-key", "key")).toBe("key");
    expect(toggleSort("key", "held")).toBe("-held");
    expect(toggleSort("-held", "held")).toBe("held");
    expect(toggleSort("-held", "remaining")).toBe("remaining");
  });
});
