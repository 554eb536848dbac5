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

describe("C5, liveness", () => {
  it("holds where a release wakes who waits, and where a lease ends", () => {
    expect(violationsOf(took("a", 1, 5000), gave("a", 5900), waited("b", 2, 5100, 5903))).toEqual([]);
    expect(violationsOf(took("a", 1, 5000), waited("b", 2, 5100, 6003))).toEqual([]);
  });

  it("is violated by who waits for a free lock while nothing is wrong", () => {
    const history = [took("a", 1, 5000), gave("a", 5010), waited("b", 2, 5005, 6500)];
    expect(violationsOf(...history)).toMatchObject([{ what: expect.stringMatching(/^b waited/) }]);
  });

  it("excuses that while a fault lasts and shortly after, and what a process stood still for", () => {
    const history = [took("a", 1, 5000), gave("a", 5010), waited("b", 2, 5005, 6500)];
    expect(violationsOf(...history, happened("client-kill", 3000))).toEqual([]);
    const stall = { op: "stall", type: "info", process: "b", atMs: 5300, forMs: 1100 } as const;
    expect(violationsOf(...history, stall)).toEqual([]);
  });

  it("is violated at any time by a call that fails as nothing may", () => {
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

  it("is violated once all is healed by a wait that outlasts a lease and a look", () => {
    const history = [happened("stop-server", 1000, 3900), calm(5000), waited("b", 2, 4950, 9500)];
    expect(violationsOf(...history)).toHaveLength(1);
  });

  it("is violated by a call that fails long after all was healed, but not by who is refused", () => {
    const history = [happened("stop-server", 100, 800), calm(1000)];
    expect(violationsOf(...history, failed("a", 9000, "unavailable"))).toHaveLength(1);
    expect(violationsOf(...history, failed("a", 2000, "unavailable"), failed("b", 9000, "held"))).toEqual([]);
  });

  it("is violated by what is left in Redis, by a lock without an end, and by a worker that died", () => {
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

  it("is violated by a release that a full memory alone refused", () => {
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

  describe("where the clock of a server went back", () => {
    // Without its release, as of a process that was killed; its deadline is 5009.
    const left = took("a", 1, 4010);
    const calmAt = calm(4500);

    it("excuses waits for a lease that lasts longer by as much, and for no longer", () => {
      const ahead = stepped(7000, 4000, 400);
      expect(violationsOf(left, ahead, calmAt, waited("b", 2, 5100, 12_009))).toEqual([]);
      expect(violationsOf(left, ahead, calmAt, waited("b", 2, 5100, 15_800))).toHaveLength(1);
      expect(
        violationsOf(left, stepped(-7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009)),
      ).toHaveLength(1);
    });

    it("is violated by who waits for a lock that was given back, or was not taken at the time", () => {
      const ahead = stepped(7000, 4000, 400);
      const back = [left, gave("a", 4100)];
      expect(violationsOf(...back, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
      const before = took("a", 1, 2000);
      expect(violationsOf(before, ahead, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("excuses waits for what nobody heard of", () => {
      const unheard: Told[] = [
        { op: "acquire", type: "invoke", call: 1, owner: "a", atMs: 4005, leaseMs: 1000 },
        { op: "acquire", type: "info", call: 1, owner: "a", atMs: 4010, code: "unknown_outcome" },
      ];
      expect(violationsOf(unheard, stepped(7000, 4000, 400), calmAt, waited("b", 2, 5100, 12_009))).toEqual(
        [],
      );
      expect(violationsOf(unheard, calmAt, waited("b", 2, 5100, 12_009))).toHaveLength(1);
    });

    it("excuses them on a quorum where no majority is left without it", () => {
      const at = (...servers: number[]) => servers.flatMap((n) => stepped(7000, 4000, 400, n));
      const waits = waited("b", 2, 5100, 12_009);
      expect(violationsOf(onQuorum, left, at(1, 2), calmAt, waits)).toHaveLength(1);
      expect(violationsOf(onQuorum, left, at(1, 2, 5), calmAt, waits)).toEqual([]);
    });
  });
});
