import { describe, expect, it } from "vitest";
import { judge } from "../checks/all.ts";
import { linearizableWithin } from "../checks/linearizable.ts";
import {
  accepted,
  asserted,
  gave,
  happened,
  lost,
  renewed,
  type Told,
  told,
  took,
  wrote,
} from "../checks/told.ts";
import { inMs } from "../history/entry.ts";
import { endingOf, outcomeOf, textOfVerdicts } from "./text.ts";

const COMMAND = "npm run chaos -- --topology single --seconds 30 --seed 7 --format redisson";

/** What goes on beside it: holds before, after and of another lock, writes, and a fault that is no excuse. */
const BESIDE: readonly Told[] = [
  ...took("n1", 1, 20),
  ...gave("n1", 30),
  accepted("n1#1", 1, 25, 0, 1),
  wrote("n1", "n1#1", 26),
  ...happened("stop-worker", 40, 20),
  ...took("n2", 900, 90_020),
  ...gave("n2", 90_030),
  ...[...took("n3", 1, 60_000), ...gave("n3", 60_100)].map((entry) => ({ ...entry, lock: "lock:b" })),
];
const waitedFor = (owner: string, fence: number, fromMs: number, toMs: number) =>
  took(owner, fence, toMs, { waitMs: 6000 }).map((entry) =>
    entry.type === "invoke" ? { ...entry, atMs: fromMs } : entry,
  );
const refused: Told[] = [
  { op: "acquire", type: "invoke", call: 9, owner: "b", atMs: 60_050 },
  { op: "acquire", type: "fail", call: 9, owner: "b", code: "held", atMs: 60_060 },
];

/** The excerpt of the one violation that a check finds: when, who, what. */
function excerptOf(check: string, history: readonly Told[]): string[] {
  const verdicts = judge(told(...BESIDE, ...history)).filter((verdict) => verdict.check === check);
  const violations = verdicts.flatMap((verdict) => verdict.violations);
  expect(violations).toHaveLength(1);
  const entries = violations.flatMap((violation) => violation.entries);
  return entries.map(({ t, owner, value, process, op, type }) => {
    return `${inMs(t)} ${owner ?? value ?? process} ${op} ${type}`;
  });
}

describe("excerpt of a violation", () => {
  it("the C1 excerpt shows both grants and the end of the hold that ended first", () => {
    const history = [...took("a", 5, 60_010), ...took("b", 6, 60_020), asserted("b", 60_030)];
    const ends = [...gave("b", 60_040), ...gave("a", 60_050)];
    expect(excerptOf("C1", [...history, ...ends])).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "60019 b acquire invoke",
      "60020 b acquire ok",
      "60040 b release invoke",
    ]);
  });

  it("the C1 excerpt shows the renewal that extended an expired first lease", () => {
    const history = [...took("a", 5, 60_010), renewed("a", 60_500), ...took("b", 6, 61_100)];
    expect(excerptOf("C1", [...history, ...gave("a", 61_200)])).toEqual([
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
      ...took("a", 5, 60_010),
      ...gave("a", 60_020),
      ...took("b", 4, 60_030),
      ...gave("b", 60_040),
    ];
    expect(excerptOf("C2", history)).toEqual([
      "60010 a acquire ok",
      "60029 b acquire invoke",
      "60030 b acquire ok",
    ]);
  });

  it("the C3 excerpt shows both writes, or the response without a write", () => {
    const stale = [accepted("b#1", 6, 60_010, 1, 2), accepted("a#1", 5, 60_020, 2, 3)];
    expect(excerptOf("C3", stale)).toEqual(["60010 b#1 accept ok", "60020 a#1 accept ok"]);
    expect(excerptOf("C3", [wrote("a", "a#1", 60_010)])).toEqual(["60010 a write ok"]);
  });

  it("the C4 excerpt shows only the calls that fit no order", () => {
    const history = [...took("a", 5, 60_010), ...gave("a", 60_020), ...refused, ...took("c", 7, 60_070)];
    expect(excerptOf("C4", history)).toEqual([
      "60020 a release invoke",
      "60021 a release ok",
      "60050 b acquire invoke",
      "60060 b acquire fail",
    ]);
  });

  it("the C4 excerpt shows a token granted long before and nothing in between", () => {
    const between = Array.from({ length: 100 }, (_, n) =>
      gave(`x${n}`, 61_000 + 10 * n, { code: "not_held" }),
    ).flat();
    const history = [...took("a", 50, 60_010), ...gave("a", 60_020), ...between, ...took("b", 10, 63_000)];
    expect(excerptOf("C4", history)).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "62999 b acquire invoke",
      "63000 b acquire ok",
    ]);
  });

  it("the C5 excerpt shows the wait and the previous holder", () => {
    const history = [...took("a", 5, 60_010), ...gave("a", 60_020), ...waitedFor("b", 6, 60_015, 62_000)];
    expect(excerptOf("C5", history)).toEqual([
      "60015 b acquire invoke",
      "60021 a release ok",
      "62000 b acquire ok",
    ]);
    const left = { op: "leftover", type: "info", process: "harness", code: "no end", atMs: 99_000 } as const;
    expect(excerptOf("C5", [left])).toEqual(["99000 harness leftover info"]);
  });

  it("the C7 excerpt shows the hold, the next grant and the wrong check result", () => {
    const history = [
      ...took("a", 5, 60_010),
      asserted("a", 60_500),
      ...took("b", 6, 61_010),
      asserted("a", 61_011),
    ];
    expect(excerptOf("C7", [...history, lost("a", 61_012)])).toEqual([
      "60009 a acquire invoke",
      "60010 a acquire ok",
      "61010 b acquire ok",
      "61011 a assert ok",
    ]);
  });

  it("the C8 excerpt shows every acquire and release since the hold began", () => {
    const first = [...took("a", 5, 60_010), ...took("a", 5, 60_020, { call: 2, count: 2 })];
    const back = [
      ...gave("a", 60_030, { claim: 2, count: 1 }),
      asserted("a", 60_035),
      ...gave("a", 60_040, { count: 1 }),
    ];
    expect(excerptOf("C8", [...first, ...back])).toEqual([
      "60010 a acquire ok",
      "60020 a acquire ok",
      "60031 a release ok",
      "60041 a release ok",
    ]);
  });
});

describe("exit code of a chaos run", () => {
  const held = told(...took("a", 1, 10), ...gave("a", 20));
  const broken = told(...took("a", 1, 10), ...took("b", 2, 20));

  it("a chaos run exits with 0 when every check passes", () => {
    expect(endingOf(judge(held), COMMAND)).toEqual({ code: 0, line: "0 violations" });
  });

  it("a chaos run exits with 1 on a violation and shows how to reproduce each one", () => {
    const verdicts = judge(broken);
    expect(endingOf(verdicts, COMMAND)).toMatchObject({ code: 1, line: expect.stringContaining(COMMAND) });
    const shown = verdicts.reduce((sum, { violations }) => sum + violations.length, 0);
    expect(textOfVerdicts(verdicts, COMMAND).split(`  again: ${COMMAND}`)).toHaveLength(shown + 1);
  });

  it("a chaos run exits with 3 and reports UNDECIDED when a check gives up", () => {
    const verdicts = [...judge(held).filter(({ check }) => check !== "C4"), linearizableWithin(1, held)];
    const ending = endingOf(verdicts, COMMAND);
    expect(ending).toMatchObject({ code: 3, line: expect.stringContaining("UNDECIDED: C4 gave up") });
    expect(ending.line).toContain(COMMAND);
    expect(verdicts.map(outcomeOf)).toContain("UNDECIDED");
    expect(textOfVerdicts(verdicts, COMMAND)).toContain("on lock:a was not found out in 1 steps");
    expect(endingOf([...verdicts, ...judge(broken)], COMMAND).code).toBe(1);
  });
});
