import { describe, expect, it } from "vitest";
import { nextSort } from "./columns/columns.ts";
import { offsetFor, WINDOW_ROWS } from "./visible-window.ts";

describe("list window", () => {
  it("the list window stays while the visible rows are inside with a margin", () => {
    expect(offsetFor(0, 20, 1000, 0)).toBe(0);
    expect(offsetFor(60, 85, 1000, 0)).toBe(0);
    expect(offsetFor(70, 95, 1000, 0)).not.toBe(0);
  });

  it("the list window always covers the visible rows after a jump", () => {
    for (const first of [0, 5, 37, 95, 500, 99_980]) {
      const last = Math.min(99_999, first + 24);
      const offset = offsetFor(first, last, 100_000, 0);
      expect(offset).toBeLessThanOrEqual(first);
      expect(offset + WINDOW_ROWS).toBeGreaterThan(last);
    }
  });

  it("a list shorter than the window is not requested again", () => {
    expect(offsetFor(0, 2, 3, 0)).toBe(0);
    expect(offsetFor(0, 0, 0, 0)).toBe(0);
  });
});

describe("column sorting", () => {
  it("a second click on a column reverses its sort order", () => {
    expect(nextSort("key", "key")).toBe("-key");
    expect(nextSort("-key", "key")).toBe("key");
    expect(nextSort("key", "held")).toBe("-held");
    expect(nextSort("-held", "held")).toBe("held");
    expect(nextSort("-held", "remaining")).toBe("remaining");
  });
});
