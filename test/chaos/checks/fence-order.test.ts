import { describe, expect, it } from "vitest";
import { checkFenceOrder } from "./fence-order.ts";
import {
  buildAcquire,
  buildFault,
  buildHistory,
  buildReentry,
  buildRelease,
  QUORUM_BEGUN,
} from "./history-builder.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkFenceOrder(buildHistory(...history)).violations;

describe("C2 fencing token order", () => {
  it("the token order check passes when each token is above all tokens returned before", () => {
    expect(
      findViolations(
        buildAcquire("a", 1, 10),
        buildRelease("a", 20),
        buildAcquire("b", 2, 30),
        buildAcquire("c", 9, 2000),
      ),
    ).toEqual([]);
  });

  it("the token order check reports a smaller token for a later request", () => {
    expect(
      findViolations(buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 4, 30)),
    ).toMatchObject([{ what: "b was granted 4 after a had 5" }]);
  });

  it("the token order check reports a token below any earlier one, not only below the last one", () => {
    expect(
      findViolations(buildAcquire("a", 5, 10), buildAcquire("b", 3, 1500), buildAcquire("c", 4, 3000)),
    ).toHaveLength(2);
  });

  it("the token order check allows any order for concurrent requests", () => {
    expect(findViolations(buildAcquire("a", 5, 10), buildAcquire("b", 4, 20, { tookMs: 15 }))).toEqual([]);
  });

  it("the token order check judges a waiting acquire by the attempt that was granted", () => {
    const waited = buildAcquire("b", 4, 900, { tookMs: 0, waitMs: 6000 }).map((entry) =>
      entry.type === "invoke" ? { ...entry, atMs: 1 } : entry,
    );
    expect(findViolations(buildAcquire("a", 5, 10), waited)).toHaveLength(1);
  });

  it("the token order check reports two holds with the same token", () => {
    expect(findViolations(buildAcquire("a", 5, 10), buildAcquire("b", 5, 12, { tookMs: 5 }))).toHaveLength(1);
  });

  it("the token order check compares tokens as numbers, not as text", () => {
    expect(findViolations(buildAcquire("a", 9, 10), buildAcquire("b", 10, 1500))).toEqual([]);
  });

  it("the token order check reports a hold without a token, and no reentry", () => {
    expect(findViolations(buildAcquire("a", null, 10))).toHaveLength(1);
    expect(findViolations(buildAcquire("a", 1, 10), buildReentry("a", 1, 20))).toEqual([]);
  });

  describe("C2 after data loss with the clock set back", () => {
    const both = buildFault("lose-data-and-set-clock-back", 25, 100);
    const smaller = [buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 4, 30)];

    it("a smaller token after data loss with the clock set back is noted as documented, not reported", () => {
      const { violations, notes } = checkFenceOrder(buildHistory(...smaller, both));
      expect(violations).toEqual([]);
      expect(notes[1]).toContain(
        "broke 1 times by lose-data-and-set-clock-back, as documented: b was granted 4",
      );
    });

    it("the token order check notes that the order held when no token was smaller", () => {
      const { notes } = checkFenceOrder(
        buildHistory(buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 6, 30), both),
      );
      expect(notes[1]).toContain("was not seen to break");
    });

    it("a smaller token outside data loss with the clock set back, or on a quorum, stays a violation", () => {
      const later = [buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 4, 300)];
      expect(findViolations(...later, both)).toHaveLength(1);
      for (const other of ["flushall", "restart-server", "evict", "server-clock-step"]) {
        expect(findViolations(...smaller, buildFault(other, 25, 100))).toHaveLength(1);
      }
      expect(findViolations(QUORUM_BEGUN, ...smaller, both)).toHaveLength(1);
    });
  });
});
