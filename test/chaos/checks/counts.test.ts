import { describe, expect, it } from "vitest";
import { checkCounts } from "./counts.ts";
import {
  buildAcquire,
  buildClockStep,
  buildFault,
  buildHistory,
  buildLoss,
  buildReentry,
  buildRelease,
  type EntrySpec,
} from "./history-builder.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkCounts(buildHistory(...history)).violations;
const again = (token: string, atMs: number, count: number) => buildReentry(token, 1, atMs, { count });
const unknown = (token: string, atMs: number, op: "reenter" | "release" = "reenter"): EntrySpec[] => [
  { op, type: "invoke", call: 7, token, atMs: atMs - 1 },
  { op, type: "info", call: 7, token, atMs, code: "unknown_outcome" },
];

describe("C8 counts", () => {
  it("the count check passes when each acquire adds one and each release removes one", () => {
    const inner = buildRelease("a", 30, { claim: 2, count: 1 });
    expect(findViolations(buildAcquire("a", 1, 10), again("a", 20, 2), inner, buildRelease("a", 40))).toEqual(
      [],
    );
  });

  it("the count check reports an acquire that counts twice, whether first or reentrant", () => {
    expect(findViolations(buildAcquire("a", 1, 10, { count: 2 }))).toHaveLength(1);
    expect(findViolations(buildAcquire("a", 1, 10), again("a", 20, 3))).toHaveLength(1);
  });

  it("the count check reports a release that removes two", () => {
    const history = [
      buildAcquire("a", 1, 10),
      again("a", 20, 2),
      buildRelease("a", 30, { claim: 2, count: 0 }),
    ];
    expect(findViolations(...history)).toHaveLength(1);
  });

  it("the count check reports a release that leaves a higher count than was acquired", () => {
    expect(findViolations(buildAcquire("a", 1, 10), buildRelease("a", 30, { count: 1 }))).toHaveLength(1);
  });

  it("the count check allows a difference of one after a call of unknown outcome", () => {
    expect(
      findViolations(buildAcquire("a", 1, 10), unknown("a", 20), buildRelease("a", 30, { count: 1 })),
    ).toEqual([]);
    expect(
      findViolations(buildAcquire("a", 1, 10), unknown("a", 20), buildRelease("a", 30, { count: 2 })),
    ).toHaveLength(1);
    const released = [buildAcquire("a", 1, 10), again("a", 20, 2), unknown("a", 25, "release")];
    expect(findViolations(...released, buildRelease("a", 30, { count: 0 }))).toEqual([]);
  });

  it("the count check reports one token of two holds, even if the first had ended", () => {
    const second = buildAcquire("a", 5, 1500, { call: 2 });
    expect(findViolations(buildAcquire("a", 1, 10), second).map(({ what }) => what)).toContain(
      "a was granted to two holds",
    );
  });

  it("the count check reports a release whose outcome does not fit its count", () => {
    const held = buildAcquire("a", 1, 10);
    expect(findViolations(held, buildRelease("a", 30, { code: "still_held" }))).toHaveLength(1);
    const inner = buildRelease("a", 30, { claim: 2, count: 1, code: "released" });
    expect(findViolations(held, again("a", 20, 2), inner)).toHaveLength(1);
  });

  it("the count check reports not_held for a live hold, unless the hold or its data was lost", () => {
    const denied = buildRelease("a", 30, { code: "not_held" });
    expect(findViolations(buildAcquire("a", 1, 10), denied)).toHaveLength(1);
    expect(findViolations(buildAcquire("a", 1, 10), buildLoss("a", 20), denied)).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), buildFault("flushall", 20), denied)).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), buildRelease("a", 1010, { code: "not_held" }))).toEqual(
      [],
    );
  });

  it("the count check accepts not_held when the server clock jumped ahead by the rest of the lease", () => {
    const denied = [buildAcquire("a", 1, 10), buildRelease("a", 300, { code: "not_held" })];
    expect(findViolations(...denied, buildClockStep(800, 100, 50))).toEqual([]);
    expect(findViolations(...denied, buildClockStep(600, 100, 50))).toHaveLength(1);
  });

  it("the count check accepts a count lost to eviction, but never one that is too high", () => {
    const entered = [buildAcquire("a", 1, 10), again("a", 20, 2)];
    const less = buildRelease("a", 60, { claim: 2, count: 0 });
    expect(findViolations(...entered, buildFault("evict", 30, 100), less)).toEqual([]);
    expect(findViolations(...entered, buildFault("full-memory", 30, 100), less)).toHaveLength(1);
    const more = buildRelease("a", 60, { claim: 2, count: 2 });
    expect(findViolations(...entered, buildFault("evict", 30, 100), more)).toHaveLength(1);
  });
});
