import { describe, expect, it } from "vitest";
import { buildFault, buildHistory, buildLatchCall, type EntrySpec } from "./history-builder.ts";
import { checkLatches } from "./latches.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkLatches(buildHistory(...history)).violations;

const close = (atMs: number) => buildLatchCall("s", "set_count", atMs, atMs + 1, { code: "set" });
const count = (atMs: number, left: number) =>
  buildLatchCall("d", "count_down", atMs, atMs + 1, { count: left });
const wait = (fromMs: number, toMs: number, answer: Partial<EntrySpec> = {}) =>
  buildLatchCall("w", "await", fromMs, toMs, answer);
const COUNTED = [close(10), count(1000, 2), count(1010, 1), count(1020, 0)];

describe("C9 latches", () => {
  it("the latch check passes when a waiter wakes after the last count-down", () => {
    expect(findViolations(...COUNTED, wait(20, 1023))).toEqual([]);
    expect(checkLatches(buildHistory(...COUNTED, wait(20, 1023))).notes).toEqual([
      "1 waits, 1 woken, 1 openings; woken 2.0 ms after the opening in the middle, 2.0 ms at most",
    ]);
  });

  it("the latch check passes when a latch was open only for a moment of the wait", () => {
    expect(findViolations(...COUNTED, close(1030), wait(20, 1060))).toEqual([]);
  });

  it("the latch check reports a waiter that woke before the count was 0", () => {
    expect(findViolations(close(10), count(1000, 2), wait(20, 1005))).toMatchObject([
      { what: expect.stringContaining("w await") },
    ]);
  });

  it("the latch check reports a count-down that was lost or counted twice", () => {
    expect(findViolations(close(10), count(1000, 2), count(1010, 2))).toHaveLength(1);
    expect(findViolations(close(10), count(1000, 1))).toHaveLength(1);
  });

  it("the latch check reports a latch that was closed although it was closed already", () => {
    expect(findViolations(close(10), close(20))).toHaveLength(1);
    const refused = buildLatchCall("s", "set_count", 5, 6, { code: "already_set" });
    expect(findViolations(refused)).toHaveLength(1);
  });

  it("the latch check accepts that a count-down of unknown outcome was done, or not, or later", () => {
    const unknown = buildLatchCall("k", "count_down", 500, 700, { type: "info", code: "unknown_outcome" });
    expect(findViolations(close(10), unknown, count(1000, 1))).toEqual([]);
    expect(findViolations(close(10), unknown, count(1000, 2))).toEqual([]);
    expect(findViolations(close(10), unknown, count(1000, 0))).toHaveLength(1);
  });

  it("the latch check decides a history with many calls of unknown outcome at the same time", () => {
    const unknown = Array.from({ length: 40 }, (_, n) =>
      buildLatchCall(`k${n}`, n % 2 === 0 ? "count_down" : "set_count", 20 + n, 9000 + n, {
        type: "info",
        code: "unknown_outcome",
      }),
    );
    const answered = Array.from({ length: 40 }, (_, n) => count(1000 + 10 * n, 2 - (n % 3)));
    const history = [close(10), ...unknown, ...answered];
    expect(checkLatches(buildHistory(...history)).undecided).toEqual([]);
    expect(findViolations(...history)).toEqual([]);
    expect(findViolations(...history, count(1005, 4))).toHaveLength(1);
  });

  it("the latch check reports a waiter that slept on, also if the latch was closed again", () => {
    const late = findViolations(...COUNTED, wait(20, 2500));
    expect(late).toMatchObject([{ what: expect.stringMatching(/^w waited for 1479 ms/) }]);
    expect(
      findViolations(...COUNTED, close(1030), wait(20, 6020, { type: "fail", code: "timeout" })),
    ).toHaveLength(1);
  });

  it("the latch check does not judge a waiter that may not have seen the latch closed", () => {
    expect(
      findViolations(...COUNTED, close(1030), wait(700, 6700, { type: "fail", code: "timeout" })),
    ).toEqual([]);
  });

  it("the latch check accepts that lost data opens a latch", () => {
    const flush = buildFault("flushall", 500);
    expect(findViolations(close(10), flush, wait(20, 530), close(600))).toEqual([]);
    expect(findViolations(close(10), buildFault("script-flush", 500), wait(20, 530))).toHaveLength(1);
  });
});
