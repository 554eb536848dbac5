import { describe, expect, it } from "vitest";
import {
  buildAcquire,
  buildClockStep,
  buildFault,
  buildHistory,
  buildRelease,
  type EntrySpec,
  QUORUM_BEGUN,
} from "./history-builder.ts";
import { checkLiveness } from "./liveness.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkLiveness(buildHistory(...history)).violations;

/** Builds a wait that lasts from `fromMs` to the grant at `toMs`. */
const waited = (token: string, fence: number, fromMs: number, toMs: number) =>
  buildAcquire(token, fence, toMs, { waitMs: 6000 }).map((entry) =>
    entry.type === "invoke" ? { ...entry, atMs: fromMs } : entry,
  );
const calm = (atMs: number): EntrySpec => ({ op: "calm", type: "info", process: "harness", atMs });
const failed = (token: string, atMs: number, code: string): EntrySpec[] => [
  { op: "acquire", type: "invoke", call: 1, token, atMs: atMs - 1 },
  { op: "acquire", type: "fail", call: 1, token, atMs, code },
];

describe("C5 liveness", () => {
  it("the liveness check passes when a release or an expiry wakes a waiter", () => {
    expect(
      findViolations(buildAcquire("a", 1, 5000), buildRelease("a", 5900), waited("b", 2, 5100, 5903)),
    ).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 5000), waited("b", 2, 5100, 6003))).toEqual([]);
  });

  it("the liveness check reports a waiter on a free lock while no fault is active", () => {
    const history = [buildAcquire("a", 1, 5000), buildRelease("a", 5010), waited("b", 2, 5005, 6500)];
    expect(findViolations(...history)).toMatchObject([{ what: expect.stringMatching(/^b waited/) }]);
  });

  it("the liveness check tolerates a late grant during and shortly after a fault, and in a paused process", () => {
    const history = [buildAcquire("a", 1, 5000), buildRelease("a", 5010), waited("b", 2, 5005, 6500)];
    expect(findViolations(...history, buildFault("client-kill", 3000))).toEqual([]);
    const stall = { op: "stall", type: "info", process: "b", atMs: 5300, forMs: 1100 } as const;
    expect(findViolations(...history, stall)).toEqual([]);
  });

  it("the liveness check reports a call that fails with a code that no fault explains", () => {
    const history = [buildFault("stop-server", 100, 900), calm(5000)];
    for (const code of ["unavailable", "unknown_outcome", "unanswered"]) {
      expect(findViolations(...history, failed("a", 500, code))).toEqual([]);
    }
    expect(findViolations(...history, failed("a", 500, "internal"))).toMatchObject([
      { what: expect.stringContaining("internal") },
    ]);
    // This error is only acceptable if the companion of the lock was evicted.
    expect(findViolations(...history, failed("a", 500, "not_a_lock"))).toHaveLength(1);
    expect(findViolations(...history, buildFault("evict", 200, 100), failed("a", 500, "not_a_lock"))).toEqual(
      [],
    );
  });

  it("the liveness check reports a wait longer than a lease plus one poll after all faults have ended", () => {
    const history = [buildFault("stop-server", 1000, 3900), calm(5000), waited("b", 2, 4950, 9500)];
    expect(findViolations(...history)).toHaveLength(1);
  });

  it("the liveness check reports a call that fails long after the last fault, but not a refusal", () => {
    const history = [buildFault("stop-server", 100, 800), calm(1000)];
    expect(findViolations(...history, failed("a", 9000, "unavailable"))).toHaveLength(1);
    expect(findViolations(...history, failed("a", 2000, "unavailable"), failed("b", 9000, "held"))).toEqual(
      [],
    );
  });

  it("the liveness check reports leftovers in Redis, a lock without TTL and a dead worker", () => {
    const left = {
      op: "leftover",
      type: "info",
      process: "harness",
      target: "server 1",
      code: "without an end",
    } as const;
    expect(findViolations({ ...left, atMs: 1 })).toHaveLength(1);
    expect(findViolations({ ...left, op: "endless", atMs: 1 })).toHaveLength(1);
    expect(findViolations({ op: "died", type: "info", process: "harness", atMs: 1 })).toHaveLength(1);
  });

  it("the liveness check reports a release that fails only because memory is full", () => {
    const refused: EntrySpec[] = [
      { op: "release", type: "invoke", token: "a", process: "w3.1", call: 9, atMs: 5000 },
      { op: "release", type: "fail", token: "a", process: "w3.1", call: 9, atMs: 5010, code: "unavailable" },
    ];
    const full = buildFault("full-memory", 4900, 300);
    const byOther = (fault: string, target: string) =>
      buildFault(fault, 3000, 1900).map((entry) => ({ ...entry, target }));
    expect(findViolations(refused, full)).toMatchObject([{ what: expect.stringMatching(/^a could not/) }]);
    expect(findViolations(refused, full, byOther("drop-replies", "worker 2"))).toHaveLength(1);
    expect(findViolations(refused, full, byOther("drop-replies", "worker 3"))).toEqual([]);
    expect(findViolations(refused, full, byOther("stop-server", "server 2"))).toEqual([]);
    expect(findViolations(refused, buildFault("full-memory", 4900, 105))).toEqual([]);
  });

  describe("C5 after a server clock moved back", () => {
    // The hold is not released, as if its process was killed. Its deadline is 5009 ms.
    const left = buildAcquire("a", 1, 4010);
    const calmAt = calm(4500);

    it("the liveness check tolerates a wait for a lease that a clock moved back prolonged, but no longer", () => {
      const ahead = buildClockStep(7000, 4000, 400);
      expect(findViolations(left, ahead, calmAt, waited("b", 2, 5100, 12_009))).toEqual([]);
      expect(findViolations(left, ahead, calmAt, waited("b", 2, 5100, 15_800))).toHaveLength(1);
      expect(
        findViolations(left, buildClockStep(-7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009)),
      ).toHaveLength(1);
    });

    it("the liveness check reports a wait for a lock that was released, or not held, when the clock moved back", () => {
      const ahead = buildClockStep(7000, 4000, 400);
      const back = [left, buildRelease("a", 4100)];
      expect(findViolations(...back, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
      const before = buildAcquire("a", 1, 2000);
      expect(findViolations(before, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("the liveness check tolerates a wait for an unanswered acquire when the clock moved back", () => {
      const unheard: EntrySpec[] = [
        { op: "acquire", type: "invoke", call: 1, token: "a", atMs: 4005, leaseMs: 1000 },
        { op: "acquire", type: "info", call: 1, token: "a", atMs: 4010, code: "unknown_outcome" },
      ];
      expect(
        findViolations(unheard, buildClockStep(7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009)),
      ).toEqual([]);
      expect(findViolations(unheard, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("the liveness check tolerates a long wait on a quorum only if a majority of clocks moved back", () => {
      const at = (...servers: number[]) => servers.flatMap((n) => buildClockStep(7000, 4000, 400, n));
      const waits = waited("b", 2, 5100, 12_009);
      expect(findViolations(QUORUM_BEGUN, left, at(1, 2), calmAt, waits)).toHaveLength(1);
      expect(findViolations(QUORUM_BEGUN, left, at(1, 2, 5), calmAt, waits)).toEqual([]);
    });
  });
});
