import { describe, expect, it } from "vitest";
import { runChecks } from "../checks/all.ts";
import {
  buildAccept,
  buildAcquire,
  buildAssert,
  buildFault,
  buildHistory,
  buildLoss,
  buildReentry,
  buildRelease,
  buildRenewal,
  buildWrite,
  type EntrySpec,
} from "../checks/history-builder.ts";
import { checkLinearizabilityWithin } from "../checks/linearizable.ts";
import { toMilliseconds } from "../history/entry.ts";
import { formatOutcome, formatVerdicts, getRunResult } from "./text.ts";

const COMMAND = "npm run chaos -- --topology single --seconds 30 --seed 7 --format redisson";

/**
 * Entries that do not contribute to a violation: earlier and later holds, a hold of another lock, writes, and a fault
 * that does not excuse the violation.
 */
const BESIDE: readonly EntrySpec[] = [
  ...buildAcquire("n1", 1, 20),
  ...buildRelease("n1", 30),
  buildAccept("n1#1", 1, 25, 0, 1),
  buildWrite("n1", "n1#1", 26),
  ...buildFault("stop-worker", 40, 20),
  ...buildAcquire("n2", 900, 90_020),
  ...buildRelease("n2", 90_030),
  ...[...buildAcquire("n3", 1, 60_000), ...buildRelease("n3", 60_100)].map((entry) => ({
    ...entry,
    lock: "lock:b",
  })),
];
const findWaitViolations = (token: string, fence: number, fromMs: number, toMs: number) =>
  buildAcquire(token, fence, toMs, { waitMs: 6000 }).map((entry) =>
    entry.type === "invoke" ? { ...entry, atMs: fromMs } : entry,
  );
const refused: EntrySpec[] = [
  { op: "acquire", type: "invoke", call: 9, token: "b", atMs: 60_050 },
  { op: "acquire", type: "fail", call: 9, token: "b", code: "held", atMs: 60_060 },
];

/** Formats the time, the token or process, and the operation of each entry in the only violation that a check finds. */
function getExcerpt(check: string, history: readonly EntrySpec[]): string[] {
  const verdicts = runChecks(buildHistory(...BESIDE, ...history)).filter(
    (verdict) => verdict.check === check,
  );
  const violations = verdicts.flatMap((verdict) => verdict.violations);
  expect(violations).toHaveLength(1);
  const entries = violations.flatMap((violation) => violation.entries);
  return entries.map(({ t, token, value, process, op, type }) => {
    return `${toMilliseconds(t)} ${token ?? value ?? process} ${op} ${type}`;
  });
}

describe("excerpt of a violation", () => {
  it("the C1 excerpt shows both grants and the end of the hold that ended first", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      ...buildAcquire("b", 6, 60_020),
      buildAssert("b", 60_030),
    ];
    const ends = [...buildRelease("b", 60_040), ...buildRelease("a", 60_050)];
    expect(getExcerpt("C1", [...history, ...ends])).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "60019 b acquire invoke",
      "60020 b acquire ok",
      "60040 b release invoke",
    ]);
  });

  it("the C1 excerpt shows the renewal that extended an expired first lease", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      buildRenewal("a", 60_500),
      ...buildAcquire("b", 6, 61_100),
    ];
    expect(getExcerpt("C1", [...history, ...buildRelease("a", 61_200)])).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "60500 a renew info",
      "61099 b acquire invoke",
      "61100 b acquire ok",
      "61200 a release invoke",
    ]);
  });

  it("the C2 excerpt shows the earlier response and the later request with a smaller token", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      ...buildRelease("a", 60_020),
      ...buildAcquire("b", 4, 60_030),
      ...buildRelease("b", 60_040),
    ];
    expect(getExcerpt("C2", history)).toEqual([
      "60010 a acquire ok",
      "60029 b acquire invoke",
      "60030 b acquire ok",
    ]);
  });

  it("the C3 excerpt shows both writes, or the response without a write", () => {
    const stale = [buildAccept("b#1", 6, 60_010, 1, 2), buildAccept("a#1", 5, 60_020, 2, 3)];
    expect(getExcerpt("C3", stale)).toEqual(["60010 b#1 accept ok", "60020 a#1 accept ok"]);
    expect(getExcerpt("C3", [buildWrite("a", "a#1", 60_010)])).toEqual(["60010 a write ok"]);
  });

  it("the C4 excerpt shows only the calls that fit no order", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      ...buildRelease("a", 60_020),
      ...refused,
      ...buildAcquire("c", 7, 60_070),
    ];
    expect(getExcerpt("C4", history)).toEqual([
      "60020 a release invoke",
      "60021 a release ok",
      "60050 b acquire invoke",
      "60060 b acquire fail",
    ]);
  });

  it("the C4 excerpt shows a token granted long before and nothing in between", () => {
    const between = Array.from({ length: 100 }, (_, n) =>
      buildRelease(`x${n}`, 61_000 + 10 * n, { code: "not_held" }),
    ).flat();
    const history = [
      ...buildAcquire("a", 50, 60_010),
      ...buildRelease("a", 60_020),
      ...between,
      ...buildAcquire("b", 10, 63_000),
    ];
    expect(getExcerpt("C4", history)).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "62999 b acquire invoke",
      "63000 b acquire ok",
    ]);
  });

  it("the C5 excerpt shows the wait and the previous holder", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      ...buildRelease("a", 60_020),
      ...findWaitViolations("b", 6, 60_015, 62_000),
    ];
    expect(getExcerpt("C5", history)).toEqual([
      "60015 b acquire invoke",
      "60021 a release ok",
      "62000 b acquire ok",
    ]);
    const left = { op: "leftover", type: "info", process: "harness", code: "no end", atMs: 99_000 } as const;
    expect(getExcerpt("C5", [left])).toEqual(["99000 harness leftover info"]);
  });

  it("the C7 excerpt shows the hold, the next grant and the wrong check result", () => {
    const history = [
      ...buildAcquire("a", 5, 60_010),
      buildAssert("a", 60_500),
      ...buildAcquire("b", 6, 61_010),
      buildAssert("a", 61_011),
    ];
    expect(getExcerpt("C7", [...history, buildLoss("a", 61_012)])).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "61010 b acquire ok",
      "61011 a assert ok",
    ]);
  });

  it("the C8 excerpt shows every acquire and release since the hold began", () => {
    const first = [...buildAcquire("a", 5, 60_010), ...buildReentry("a", 5, 60_020)];
    const back = [
      ...buildRelease("a", 60_030, { claim: 2, count: 1 }),
      buildAssert("a", 60_035),
      ...buildRelease("a", 60_040, { count: 1 }),
    ];
    expect(getExcerpt("C8", [...first, ...back])).toEqual([
      "60010 a acquire ok",
      "60020 a reenter ok",
      "60031 a release ok",
      "60041 a release ok",
    ]);
  });
});

describe("exit code of a chaos run", () => {
  const held = buildHistory(...buildAcquire("a", 1, 10), ...buildRelease("a", 20));
  const broken = buildHistory(...buildAcquire("a", 1, 10), ...buildAcquire("b", 2, 20));

  it("a chaos run exits with 0 when every check passes", () => {
    expect(getRunResult(runChecks(held), COMMAND)).toEqual({ code: 0, line: "0 violations" });
  });

  it("a chaos run exits with 1 on a violation and shows how to reproduce each one", () => {
    const verdicts = runChecks(broken);
    expect(getRunResult(verdicts, COMMAND)).toMatchObject({
      code: 1,
      line: expect.stringContaining(COMMAND),
    });
    const shown = verdicts.reduce((sum, { violations }) => sum + violations.length, 0);
    expect(formatVerdicts(verdicts, COMMAND).split(`  again: ${COMMAND}`)).toHaveLength(shown + 1);
  });

  it("a chaos run exits with 3 and reports UNDECIDED when a check gives up", () => {
    const verdicts = [
      ...runChecks(held).filter(({ check }) => check !== "C4"),
      checkLinearizabilityWithin(1, held),
    ];
    const ending = getRunResult(verdicts, COMMAND);
    expect(ending).toMatchObject({ code: 3, line: expect.stringContaining("UNDECIDED: C4 gave up") });
    expect(ending.line).toContain(COMMAND);
    expect(verdicts.map(formatOutcome)).toContain("UNDECIDED");
    expect(formatVerdicts(verdicts, COMMAND)).toContain("on lock:a was not found out in 1 steps");
    expect(getRunResult([...verdicts, ...runChecks(broken)], COMMAND).code).toBe(1);
  });
});
