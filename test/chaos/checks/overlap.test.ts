import { describe, expect, it } from "vitest";
import {
  buildAcquire,
  buildClockStep,
  buildFault,
  buildHistory,
  buildLoss,
  buildReentry,
  buildRelease,
  buildRenewal,
} from "./history-builder.ts";
import { checkOverlap } from "./overlap.ts";

describe("C1 mutual exclusion", () => {
  it("the exclusion check passes when each grant follows the start of the previous release", () => {
    expect(
      checkOverlap(buildHistory(buildAcquire("a", 1, 10), buildRelease("a", 50), buildAcquire("b", 2, 52)))
        .violations,
    ).toEqual([]);
  });

  it("the exclusion check passes when the previous lease expired without a release", () => {
    expect(
      checkOverlap(buildHistory(buildAcquire("a", 1, 10), buildAcquire("b", 2, 1010))).violations,
    ).toEqual([]);
  });

  it("the exclusion check passes when the previous holder learned of its loss before its deadline", () => {
    expect(
      checkOverlap(buildHistory(buildAcquire("a", 1, 10), buildLoss("a", 300), buildAcquire("b", 2, 301)))
        .violations,
    ).toEqual([]);
  });

  it("the exclusion check reports a grant before the previous deadline, with the length of the overlap", () => {
    const { violations } = checkOverlap(buildHistory(buildAcquire("a", 1, 10), buildAcquire("b", 2, 909)));
    expect(violations).toMatchObject([{ what: expect.stringMatching(/^a .* b .* 100.0 ms$/) }]);
  });

  it("the exclusion check reports a grant before a deadline that a renewal extended", () => {
    const history = [buildAcquire("a", 1, 10), buildRenewal("a", 500), buildAcquire("b", 2, 1200)];
    expect(checkOverlap(buildHistory(...history)).violations).toHaveLength(1);
  });

  it("the exclusion check reports a third overlapping hold even after the second one ended", () => {
    const history = [
      buildAcquire("a", 1, 10),
      buildRenewal("a", 900),
      buildAcquire("b", 2, 1100),
      buildRelease("b", 1110),
      buildAcquire("c", 3, 1120),
    ];
    expect(checkOverlap(buildHistory(...history)).violations).toHaveLength(2);
  });

  it("the exclusion check ignores reentry of a hold", () => {
    const history = [buildAcquire("a", 1, 10), buildReentry("a", 1, 20)];
    expect(checkOverlap(buildHistory(...history)).violations).toEqual([]);
  });

  it("the exclusion check ignores holds of different locks", () => {
    const other = buildAcquire("b", 2, 20).map((entry) => ({ ...entry, lock: "lock:b" }));
    expect(checkOverlap(buildHistory(buildAcquire("a", 1, 10), other)).violations).toEqual([]);
  });

  it("the exclusion check notes an overlap after data loss as documented, with its length", () => {
    const { violations, notes } = checkOverlap(
      buildHistory(buildAcquire("a", 1, 10), buildFault("flushall", 100), buildAcquire("b", 2, 909)),
    );
    expect(violations).toEqual([]);
    expect(notes[0]).toContain("flushall: 1 overlaps, 100 ms in total, the longest 100 ms");
  });

  it("the exclusion check reports an overlap if the data loss came earlier or the fault was another one", () => {
    const before = [buildFault("flushall", 1), buildAcquire("a", 1, 10), buildAcquire("b", 2, 900)];
    const other = [buildAcquire("a", 1, 10), buildFault("stop-server", 100, 50), buildAcquire("b", 2, 900)];
    for (const history of [before, other])
      expect(checkOverlap(buildHistory(...history)).violations).toHaveLength(1);
  });

  it("the exclusion check notes an overlap as documented only if the clock skipped the rest of the lease", () => {
    const history = [...buildAcquire("a", 1, 10), ...buildAcquire("b", 2, 909)];
    const ahead = checkOverlap(buildHistory(history, buildClockStep(150, 100, 200)));
    expect(ahead.violations).toEqual([]);
    expect(ahead.notes[0]).toContain("server-clock-step: 1 overlaps, 100 ms in total");
    for (const other of [
      buildClockStep(80, 100, 200),
      buildClockStep(150, 920, 200),
      buildClockStep(-150, 100, 5000),
    ]) {
      expect(checkOverlap(buildHistory(history, other)).violations).toHaveLength(1);
    }
  });

  it("the exclusion check notes an overlap as documented when a clock that was set back is corrected", () => {
    const history = [...buildAcquire("a", 1, 110), ...buildAcquire("b", 2, 909)];
    expect(checkOverlap(buildHistory(history, buildClockStep(-5000, 50, 200))).violations).toEqual([]);
    expect(checkOverlap(buildHistory(history, buildClockStep(-5000, 50, 2000))).violations).toHaveLength(1);
  });
});
