import { describe, expect, it } from "vitest";
import { checkConditions } from "./conditions.ts";
import { checkCounts } from "./counts.ts";
import {
  buildAcquire,
  buildConditionWait,
  buildFault,
  buildHistory,
  buildRelease,
  buildSignal,
  type EntrySpec,
} from "./history-builder.ts";
import { checkLinearizability } from "./linearizable.ts";
import { checkOverlap } from "./overlap.ts";

type History = Parameters<typeof buildHistory>;
const findViolations = (...history: History) => checkConditions(buildHistory(...history)).violations;

/** Builds a hold with the given fence whose holder waits for a condition from `fromMs` to `toMs`. */
const waits = (name: string, fence: number, fromMs: number, toMs: number, more = {}): EntrySpec[] => [
  ...buildAcquire(name, fence, fromMs - 2, { kind: "lock" }),
  ...buildConditionWait(name, fence, fromMs, toMs, more),
];
const signals = (name: string, fence: number, atMs: number, count = 1, more = {}): EntrySpec[] => [
  ...buildAcquire(name, fence, atMs - 2),
  ...buildSignal(name, fence, atMs, { count, ...more }),
  ...buildRelease(name, atMs + 2),
];
const killed = (name: string, fence: number, fromMs: number): EntrySpec[] =>
  waits(name, fence, fromMs, fromMs).filter(({ op, type }) => op === "acquire" || type === "invoke");
const TIMED_OUT = { code: "timed_out", waitMs: 2000 };

describe("C10 conditions", () => {
  it("the condition check passes when each signal wakes the client that has waited longest", () => {
    const history = [
      ...[waits("a", 1, 10, 105, { resumed: 4 }), waits("b", 2, 20, 205, { resumed: 6 })],
      ...[signals("s", 3, 100), signals("t", 5, 200)],
    ];
    expect(findViolations(...history)).toEqual([]);
    expect(checkConditions(buildHistory(...history)).notes).toEqual([
      "2 waits, 2 signalled, 0 timed out; 2 signals; 1 of the waiters signalled compared with 1 that had waited for longer",
    ]);
  });

  it("the condition check reports a waiter that was signalled before one that had waited for longer", () => {
    const history = [
      ...[waits("a", 1, 10, 205, { resumed: 6 }), waits("b", 2, 20, 105, { resumed: 4 })],
      ...[signals("s", 3, 100), signals("t", 5, 200)],
    ];
    expect(findViolations(...history)).toMatchObject([{ what: expect.stringMatching(/^b.* before a/) }]);
    const timedOut = [waits("a", 1, 10, 2010, { resumed: 6, ...TIMED_OUT }), signals("s", 3, 100)];
    expect(findViolations(...timedOut, waits("b", 2, 20, 105, { resumed: 4 }))).toHaveLength(1);
  });

  it("the condition check does not compare waiters that one call signalled", () => {
    const both = [waits("a", 1, 10, 115, { resumed: 5 }), waits("b", 2, 20, 105, { resumed: 4 })];
    expect(findViolations(...both, signals("s", 3, 100, 2))).toEqual([]);
  });

  it("the condition check reports a waiter that was signalled without a signal, unless it was silent", () => {
    const wait = waits("w1.1", 1, 10, 8000, { resumed: 4 });
    expect(findViolations(wait)).toMatchObject([
      { what: expect.stringContaining("every signal had already been used") },
    ]);
    const earlier = buildSignal("w1.1", 1, 9, { count: 0 });
    expect(findViolations(wait, earlier)).toHaveLength(1);
    const stopped = buildFault("stop-worker", 500, 7000).map((entry) => ({ ...entry, target: "worker 1" }));
    expect(findViolations(wait, stopped)).toEqual([]);
    expect(findViolations(wait, buildFault("flushall", 500))).toEqual([]);
  });

  it("the condition check accepts that a signal without an answer was sent", () => {
    const unanswered = signals("s", 3, 100).filter(({ op, type }) => op !== "signal" || type === "invoke");
    expect(findViolations(waits("a", 1, 10, 105, { resumed: 4 }), unanswered)).toEqual([]);
  });

  it("the condition check reports a signal that no waiter used although none died", () => {
    const wait = waits("a", 1, 10, 2010, { resumed: 4, ...TIMED_OUT });
    expect(findViolations(wait, signals("s", 3, 100))).toMatchObject([
      { what: expect.stringContaining("none of them used it") },
    ]);
    expect(findViolations(wait, signals("s", 3, 100, 0))).toEqual([]);
    expect(findViolations(wait, signals("s", 3, 100), buildFault("flushall", 120))).toEqual([]);
  });

  it("the condition check accepts that a signal ended with a waiter that died, if no other waited for long enough", () => {
    const kill = buildFault("kill-worker", 150, 10).map((entry) => ({ ...entry, target: "worker 1" }));
    const sent = [killed("w1.1", 1, 10), kill, signals("s", 3, 100)];
    expect(findViolations(...sent)).toEqual([]);
    const waited = (waitMs: number) =>
      waits("b", 2, 20, 20 + waitMs, { resumed: 5, code: "timed_out", waitMs });
    expect(findViolations(...sent, waited(5000))).toEqual([]);
    expect(findViolations(...sent, waited(12_000))).toHaveLength(1);
    // A client that began to wait after the signal does not prove that the signal was lost.
    expect(
      findViolations(...sent, waits("b", 4, 120, 12_120, { resumed: 5, code: "timed_out", waitMs: 12_000 })),
    ).toEqual([]);
  });

  it("the condition check reports a buffer with more items than fit", () => {
    const accepted = (count: number): EntrySpec => ({ op: "accept", type: "ok", count, atMs: 10 });
    expect(findViolations(accepted(0), accepted(2))).toEqual([]);
    expect(findViolations(accepted(3), accepted(-1))).toHaveLength(2);
  });
});

describe("other checks of holds that were given up", () => {
  const wait = (count: number) => buildConditionWait("a", 1, 100, 300, { resumed: 3, count });
  const second = (code: string, left: number, atMs: number) =>
    buildRelease("a2", atMs, { claim: 52, count: left, code }).map((entry) => ({ ...entry, process: "a" }));
  const twice = [
    ...buildAcquire("a", 1, 10),
    ...buildAcquire("a", 1, 20, { call: 2, count: 2 }).map((entry) => ({ ...entry, op: "reenter" as const })),
  ];

  it("the exclusion check ends a hold when it is given up", () => {
    const other = [buildAcquire("b", 2, 200), buildRelease("b", 250)];
    const find = (...history: History) => checkOverlap(buildHistory(...history)).violations;
    expect(find(buildAcquire("a", 1, 10), wait(1), ...other)).toEqual([]);
    expect(
      find(buildAcquire("a", 1, 10), wait(1), buildAcquire("b", 2, 50), buildRelease("b", 150)),
    ).toHaveLength(1);
    expect(find(buildAcquire("a", 1, 10), wait(1), buildAcquire("b", 4, 310))).toHaveLength(1);
  });

  it("the count check reports a hold that was resumed with fewer counts", () => {
    const find = (...history: History) => checkCounts(buildHistory(...history)).violations;
    expect(find(...twice, wait(2), second("still_held", 1, 400), second("released", 0, 410))).toEqual([]);
    expect(find(...twice, wait(2), second("released", 0, 400))).toHaveLength(1);
  });

  it("the linearizability check gives up all counts, and resumes them", () => {
    const find = (...history: History) => checkLinearizability(buildHistory(...history)).violations;
    const other = [buildAcquire("b", 2, 200), buildRelease("b", 250)];
    const released = [second("still_held", 1, 400), second("released", 0, 410)];
    expect(find(...twice, wait(2), ...other, ...released)).toEqual([]);
    expect(find(...twice, wait(2), ...other, second("released", 0, 400))).toHaveLength(1);
    expect(find(...twice, wait(2), buildAcquire("b", 4, 350))).toHaveLength(1);
  });
});
