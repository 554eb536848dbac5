import { afterEach, describe, expect, it, vi } from "vitest";
import { addMs, computeMsUntil, getSharedNow } from "./shared-moment.ts";

describe("computeMsUntil", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("counts the clock that advanced more", () => {
    const moment = addMs(getSharedNow(), 10_000);
    expect(computeMsUntil(moment)).toBeGreaterThan(9000);
    // Simulates a suspension of the machine, during which the monotonic clock stops.
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + 60_000);
    expect(computeMsUntil(moment)).toBeLessThan(-49_000);
  });

  it("is not extended when the wall clock is set back", () => {
    const moment = addMs(getSharedNow(), 10_000);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now - 3_600_000);
    expect(computeMsUntil(moment)).toBeLessThanOrEqual(10_000);
  });
});
