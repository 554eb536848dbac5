import { describe, expect, it } from "vitest";
import { liveness } from "./liveness.ts";
import { gave, happened, onQuorum, stepped, type Told, told, took } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => liveness(told(...history)).violations;

/** Waited from one moment to the other. */
const waited = (owner: string, fence: number, fromMs: number, toMs: number) =>
  took(owner, fence, toMs, { waitMs: 6000 }).map((entry) =>
    entry.type === "invoke" ? { ...entry, atMs: fromMs } : entry,
  );
const calm = (atMs: number): Told => ({ op: "calm", type: "info", process: "harness", atMs });
const failed = (owner: string, atMs: number, code: string): Told[] => [
  { op: "acquire", type: "invoke", call: 1, owner, atMs: atMs - 1 },
  { op: "acquire", type: "fail", call: 1, owner, atMs, code },
];

describe("C5 liveness", () => {
  it("the liveness check passes when a release or an expiry wakes a waiter", () => {
    expect(violationsOf(took("a", 1, 5000), gave("a", 5900), waited("b", 2, 5100, 5903))).toEqual([]);
    expect(violationsOf(took("a", 1, 5000), waited("b", 2, 5100, 6003))).toEqual([]);
  });

  it("the liveness check reports a waiter on a free lock while no fault is active", () => {
    const history = [took("a", 1, 5000), gave("a", 5010), waited("b", 2, 5005, 6500)];
    expect(violationsOf(...history)).toMatchObject([{ what: expect.stringMatching(/^b waited/) }]);
  });

  it("the liveness check tolerates a late grant during and shortly after a fault, and in a paused process", () => {
    const history = [took("a", 1, 5000), gave("a", 5010), waited("b", 2, 5005, 6500)];
    expect(violationsOf(...history, happened("client-kill", 3000))).toEqual([]);
    const stall = { op: "stall", type: "info", process: "b", atMs: 5300, forMs: 1100 } as const;
    expect(violationsOf(...history, stall)).toEqual([]);
  });

  it("the liveness check reports a call that fails with a code that no fault explains", () => {
    const history = [happened("stop-server", 100, 900), calm(5000)];
    for (const code of ["unavailable", "unknown_outcome", "unanswered"]) {
      expect(violationsOf(...history, failed("a", 500, code))).toEqual([]);
    }
    expect(violationsOf(...history, failed("a", 500, "internal"))).toMatchObject([
      { what: expect.stringContaining("internal") },
    ]);
    // A lock whose companion was evicted.
    expect(violationsOf(...history, failed("a", 500, "not_a_lock"))).toHaveLength(1);
    expect(violationsOf(...history, happened("evict", 200, 100), failed("a", 500, "not_a_lock"))).toEqual([]);
  });

  it("the liveness check reports a wait longer than a lease plus one poll after all faults have ended", () => {
    const history = [happened("stop-server", 1000, 3900), calm(5000), waited("b", 2, 4950, 9500)];
    expect(violationsOf(...history)).toHaveLength(1);
  });

  it("the liveness check reports a call that fails long after the last fault, but not a refusal", () => {
    const history = [happened("stop-server", 100, 800), calm(1000)];
    expect(violationsOf(...history, failed("a", 9000, "unavailable"))).toHaveLength(1);
    expect(violationsOf(...history, failed("a", 2000, "unavailable"), failed("b", 9000, "held"))).toEqual([]);
  });

  it("the liveness check reports leftovers in Redis, a lock without TTL and a dead worker", () => {
    const left = {
      op: "leftover",
      type: "info",
      process: "harness",
      target: "server 1",
      code: "without an end",
    } as const;
    expect(violationsOf({ ...left, atMs: 1 })).toHaveLength(1);
    expect(violationsOf({ ...left, op: "endless", atMs: 1 })).toHaveLength(1);
    expect(violationsOf({ op: "died", type: "info", process: "harness", atMs: 1 })).toHaveLength(1);
  });

  it("the liveness check reports a release that fails only because memory is full", () => {
    const refused: Told[] = [
      { op: "release", type: "invoke", owner: "a", process: "w3.1", call: 9, atMs: 5000 },
      { op: "release", type: "fail", owner: "a", process: "w3.1", call: 9, atMs: 5010, code: "unavailable" },
    ];
    const full = happened("full-memory", 4900, 300);
    const byOther = (fault: string, target: string) =>
      happened(fault, 3000, 1900).map((entry) => ({ ...entry, target }));
    expect(violationsOf(refused, full)).toMatchObject([{ what: expect.stringMatching(/^a could not/) }]);
    expect(violationsOf(refused, full, byOther("drop-replies", "worker 2"))).toHaveLength(1);
    expect(violationsOf(refused, full, byOther("drop-replies", "worker 3"))).toEqual([]);
    expect(violationsOf(refused, full, byOther("stop-server", "server 2"))).toEqual([]);
    expect(violationsOf(refused, happened("full-memory", 4900, 105))).toEqual([]);
  });

  describe("C5 after a server clock moved back", () => {
    // Without its release, as of a process that was killed; its deadline is 5009.
    const left = took("a", 1, 4010);
    const calmAt = calm(4500);

    it("the liveness check tolerates a wait for a lease that a clock moved back prolonged, but no longer", () => {
      const ahead = stepped(7000, 4000, 400);
      expect(violationsOf(left, ahead, calmAt, waited("b", 2, 5100, 12_009))).toEqual([]);
      expect(violationsOf(left, ahead, calmAt, waited("b", 2, 5100, 15_800))).toHaveLength(1);
      expect(
        violationsOf(left, stepped(-7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009)),
      ).toHaveLength(1);
    });

    it("the liveness check reports a wait for a lock that was released, or not held, when the clock moved back", () => {
      const ahead = stepped(7000, 4000, 400);
      const back = [left, gave("a", 4100)];
      expect(violationsOf(...back, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
      const before = took("a", 1, 2000);
      expect(violationsOf(before, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("the liveness check tolerates a wait for an unanswered acquire when the clock moved back", () => {
      const unheard: Told[] = [
        { op: "acquire", type: "invoke", call: 1, owner: "a", atMs: 4005, leaseMs: 1000 },
        { op: "acquire", type: "info", call: 1, owner: "a", atMs: 4010, code: "unknown_outcome" },
      ];
      expect(violationsOf(unheard, stepped(7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009))).toEqual(
        [],
      );
      expect(violationsOf(unheard, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("the liveness check tolerates a long wait on a quorum only if a majority of clocks moved back", () => {
      const at = (...servers: number[]) => servers.flatMap((n) => stepped(7000, 4000, 400, n));
      const waits = waited("b", 2, 5100, 12_009);
      expect(violationsOf(onQuorum, left, at(1, 2), calmAt, waits)).toHaveLength(1);
      expect(violationsOf(onQuorum, left, at(1, 2, 5), calmAt, waits)).toEqual([]);
    });
  });
});
