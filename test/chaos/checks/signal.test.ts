import { describe, expect, it } from "vitest";
import {
  buildAcquire,
  buildAssert,
  buildClockStep,
  buildFault,
  buildHistory,
  buildLoss,
  buildRelease,
} from "./history-builder.ts";
import { checkSignal } from "./signal.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkSignal(buildHistory(...history)).violations;

describe("C7 loss signals", () => {
  it("the loss check passes when the signal comes at the deadline and later checks report the loss", () => {
    const history = [
      buildAcquire("a", 1, 10),
      buildLoss("a", 1010),
      buildAssert("a", 1020, "fail"),
      buildAcquire("b", 2, 1015),
    ];
    expect(findViolations(...history, buildRelease("a", 2000, { code: "not_held" }))).toEqual([]);
  });

  it("the loss check reports an assertHeld that succeeds after another client was granted the lock", () => {
    const history = [
      buildAcquire("a", 1, 10),
      buildAcquire("b", 2, 1015),
      buildAssert("a", 1016),
      buildLoss("a", 1020),
    ];
    expect(findViolations(...history)).toMatchObject([
      { what: "a still counted as held 1.0 ms after b was granted the lock" },
    ]);
  });

  it("the loss check reports a running process that gets no loss signal, or a late one", () => {
    const runs = { op: "assert", type: "fail", token: "a", claim: 9, atMs: 2500 } as const;
    expect(findViolations(buildAcquire("a", 1, 10), buildAcquire("b", 2, 1015), runs)).toHaveLength(1);
    expect(
      findViolations(buildAcquire("a", 1, 10), buildAcquire("b", 2, 1015), buildLoss("a", 1800), runs),
    ).toHaveLength(1);
  });

  it("the loss check excuses a paused process and a killed one", () => {
    const stall = { op: "stall", type: "info", process: "a", atMs: 900, forMs: 900 } as const;
    expect(
      findViolations(buildAcquire("a", 1, 10), stall, buildAcquire("b", 2, 1015), buildLoss("a", 1800)),
    ).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), buildAcquire("b", 2, 1015))).toEqual([]);
  });

  it("the loss check excuses a missing signal after the data was lost", () => {
    const history = [
      buildAcquire("a", 1, 10),
      buildFault("flushall", 100),
      buildAcquire("b", 2, 200),
      buildAssert("a", 300),
    ];
    expect(findViolations(...history)).toEqual([]);
  });

  it("the loss check reports a false alarm, except after data loss or a clock step", () => {
    expect(findViolations(buildAcquire("a", 1, 10), buildLoss("a", 300))).toHaveLength(1);
    expect(
      findViolations(buildAcquire("a", 1, 10), buildFault("restart-server", 100), buildLoss("a", 300)),
    ).toEqual([]);
    const mine = buildAcquire("a", 1, 10).map((entry) => ({ ...entry, process: "w3.1" }));
    const stepped = buildFault("clock-step", 100, 50).map((entry) => ({ ...entry, target: "worker 3" }));
    expect(findViolations(mine, stepped, { ...buildLoss("a", 300), process: "w3.1" })).toEqual([]);
  });

  it("the loss check skips holds that were released", () => {
    expect(
      findViolations(
        buildAcquire("a", 1, 10),
        buildRelease("a", 20),
        buildAcquire("b", 2, 30),
        buildAssert("b", 1500),
      ),
    ).toEqual([]);
  });

  it("the loss check excuses early and missing signals up to the forward step of a server clock", () => {
    const alarm = [buildAcquire("a", 1, 10), buildLoss("a", 300)];
    expect(findViolations(...alarm, buildClockStep(800, 100, 100))).toEqual([]);
    expect(findViolations(...alarm, buildClockStep(600, 100, 100))).toHaveLength(1);
    const trusting = [buildAcquire("a", 1, 10), buildAcquire("b", 2, 300), buildAssert("a", 400)];
    expect(findViolations(...trusting, buildClockStep(800, 100, 100))).toEqual([]);
    expect(findViolations(...trusting, buildClockStep(600, 100, 100))).toHaveLength(1);
  });
});
