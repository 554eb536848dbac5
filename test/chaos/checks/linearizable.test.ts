import { describe, expect, it } from "vitest";
import {
  buildAcquire,
  buildClockStep,
  buildFault,
  buildHistory,
  buildReentry,
  buildRelease,
  type EntrySpec,
  QUORUM_BEGUN,
} from "./history-builder.ts";
import { checkLinearizability } from "./linearizable.ts";

const findViolations = (...history: Parameters<typeof buildHistory>) =>
  checkLinearizability(buildHistory(...history)).violations;

const refused = (token: string, fromMs: number, toMs: number, code = "held"): EntrySpec[] => [
  { op: "acquire", type: "invoke", call: 9, token, atMs: fromMs },
  { op: "acquire", type: "fail", call: 9, token, atMs: toMs, code },
];
const unheard = (token: string, atMs: number): EntrySpec[] => [
  { op: "acquire", type: "invoke", call: 7, token, atMs: atMs - 1 },
  { op: "acquire", type: "info", call: 7, token, atMs, code: "unknown_outcome" },
];

describe("C4 linearizability", () => {
  it("the linearizability check passes when holds follow each other by release or expiry", () => {
    const history = [
      buildAcquire("a", 1, 10),
      buildRelease("a", 20),
      buildAcquire("b", 2, 30),
      buildAcquire("c", 3, 1031),
    ];
    expect(findViolations(...history)).toEqual([]);
  });

  it("the linearizability check passes when concurrent calls fit in at least one order", () => {
    const late = buildRelease("a", 20).map((entry) => (entry.type === "ok" ? { ...entry, atMs: 60 } : entry));
    expect(findViolations(buildAcquire("a", 1, 10), late, buildAcquire("b", 2, 40, { tookMs: 15 }))).toEqual(
      [],
    );
  });

  it("the linearizability check reports a grant before the release was requested", () => {
    expect(
      findViolations(buildAcquire("a", 1, 10), buildAcquire("b", 2, 30), buildRelease("a", 40)),
    ).toHaveLength(1);
  });

  it("the linearizability check reports a grant whose token is not above the last one", () => {
    expect(
      findViolations(buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 4, 30)),
    ).toHaveLength(1);
  });

  it("the linearizability check reports a refusal of a free lock", () => {
    expect(findViolations(buildAcquire("a", 1, 10), buildRelease("a", 20), refused("b", 15, 25))).toEqual([]);
    expect(
      findViolations(buildAcquire("a", 1, 10), buildRelease("a", 20), refused("b", 30, 40)),
    ).toHaveLength(1);
  });

  it("the linearizability check requires no single order across a failover, but one before and after it", () => {
    const failover = buildFault("kill-master", 1000, 500);
    const undone = [buildAcquire("a", 1, 900), buildAcquire("b", 2, 1400), failover];
    expect(findViolations(...undone)).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 900), buildAcquire("b", 2, 950))).toHaveLength(1);
    expect(findViolations(...undone, buildAcquire("c", 3, 1600), buildAcquire("d", 4, 1700))).toHaveLength(1);
    expect(findViolations(buildAcquire("x", 1, 100), buildAcquire("y", 2, 200), ...undone)).toHaveLength(1);
    // After the failover, the first holder may hold the lock again, or the second holder may still hold it.
    expect(
      findViolations(
        ...undone,
        refused("e", 1600, 1610),
        buildRelease("b", 1700),
        buildAcquire("e", 3, 1800),
      ),
    ).toEqual([]);
  });

  it("the linearizability check counts reentrant acquires and releases", () => {
    const entered = [buildAcquire("a", 1, 10), buildReentry("a", 1, 20)];
    expect(
      findViolations(...entered, buildRelease("a", 30, { claim: 2, count: 1 }), buildRelease("a", 40)),
    ).toEqual([]);
    expect(findViolations(...entered, buildRelease("a", 30, { claim: 2, count: 0 }))).toHaveLength(1);
    expect(findViolations(buildAcquire("a", 1, 10), buildReentry("a", 1, 20, { count: 3 }))).toHaveLength(1);
  });

  it("the linearizability check reports a reentry of a hold that has ended", () => {
    const ended = [buildAcquire("a", 1, 10), buildRelease("a", 20)];
    expect(findViolations(...ended, buildAcquire("b", 2, 30), buildReentry("a", 1, 40))).toHaveLength(1);
    expect(findViolations(...ended, buildReentry("a", 1, 40, { count: 1 }))).toHaveLength(1);
  });

  it("the linearizability check reports a lock that is granted while it is held, whoever asks", () => {
    const again = buildAcquire("a", 1, 20, { call: 2, count: 2 });
    expect(findViolations(buildAcquire("a", 1, 10), again)).toHaveLength(1);
  });

  it("the linearizability check reports not_held for a live hold", () => {
    expect(
      findViolations(buildAcquire("a", 1, 10), buildRelease("a", 30, { code: "not_held" })),
    ).toHaveLength(1);
    expect(findViolations(buildAcquire("a", 1, 10), buildRelease("a", 1030, { code: "not_held" }))).toEqual(
      [],
    );
  });

  it("the linearizability check reports a wrong verify result for a held or a lost lock", () => {
    const asked = (token: string, atMs: number, result: Partial<EntrySpec>): EntrySpec[] => [
      { op: "verify", type: "invoke", call: 8, token, atMs: atMs - 1 },
      { op: "verify", type: "ok", call: 8, token, atMs, ...result },
    ];
    const history = [
      buildAcquire("a", 1, 10),
      asked("a", 20, {}),
      buildRelease("a", 30),
      buildAcquire("b", 2, 40),
    ];
    expect(findViolations(...history, asked("a", 50, { type: "fail", code: "lost" }))).toEqual([]);
    expect(findViolations(...history, asked("a", 50, {}))).toHaveLength(1);
    expect(findViolations(...history, asked("b", 50, { type: "fail", code: "lost" }))).toHaveLength(1);
  });

  it("the linearizability check accepts that a call without a response took effect at any time or never", () => {
    const history = [unheard("a", 10), refused("b", 20, 30), buildAcquire("c", 2, 50)];
    expect(findViolations(...history)).toEqual([]);
    expect(findViolations(refused("b", 20, 30), buildAcquire("c", 2, 50))).toHaveLength(1);
  });

  it("the linearizability check accepts that a retried HTTP request is still in flight", () => {
    const twice = (entries: readonly EntrySpec[]) =>
      entries.map((entry) => (entry.type === "invoke" ? entry : { ...entry, asked: 2 }));
    const granted = [buildRelease("a", 20), refused("b", 30, 40)];
    expect(findViolations(twice(buildAcquire("a", 1, 10)), ...granted)).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), ...granted)).toHaveLength(1);
    const late = [buildAcquire("b", 2, 20), buildRelease("b", 30), refused("c", 40, 50)];
    for (const code of ["held", "timeout", "unavailable"]) {
      const before = [buildAcquire("x", 1, 5), buildRelease("x", 15)];
      expect(findViolations(...before, twice(refused("a", 6, 10, code)), ...late)).toEqual([]);
      expect(findViolations(...before, refused("a", 6, 10, code), ...late)).toHaveLength(1);
    }
  });

  it("the linearizability check accepts an HTTP release of which only the last attempt certainly failed", () => {
    const released = buildRelease("a", 20, { code: "unavailable" }).map((entry) =>
      entry.type === "ok" ? { ...entry, type: "info" as const } : entry,
    );
    const twice = released.map((entry) => (entry.type === "info" ? { ...entry, asked: 2 } : entry));
    expect(findViolations(buildAcquire("a", 1, 10), twice, buildAcquire("b", 2, 40))).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), released, buildAcquire("b", 2, 40))).toHaveLength(1);
  });

  it("the linearizability check accepts a partial quorum release that ends the hold and returns not_held", () => {
    const [asked, denied] = buildRelease("a", 30, { code: "not_held" });
    const history = [
      buildAcquire("a", 1, 10),
      asked ?? [],
      buildAcquire("b", 2, 40),
      { ...denied, atMs: 60 } as EntrySpec,
    ];
    expect(findViolations(QUORUM_BEGUN, ...history)).toEqual([]);
    expect(findViolations(...history)).toHaveLength(1);
    expect(
      findViolations(QUORUM_BEGUN, buildAcquire("a", 1, 10), buildAcquire("b", 2, 20), asked ?? []),
    ).toHaveLength(1);
  });

  it("the linearizability check accepts a release that the server applied and then lost with its data", () => {
    const [asked, denied] = buildRelease("a", 30, { code: "not_held" });
    const history = [
      buildAcquire("a", 1, 10),
      asked ?? [],
      buildAcquire("b", 2, 40),
      { ...denied, atMs: 60 } as EntrySpec,
    ];
    expect(findViolations(...history, buildFault("flushall", 50))).toEqual([]);
    expect(findViolations(...history, buildFault("flushall", 70))).toHaveLength(1);
  });

  it("the linearizability check accepts a quorum release that finds the votes left after masters lost data", () => {
    const history = [buildAcquire("a", 1, 10), buildAcquire("b", 2, 40), buildRelease("a", 50)];
    expect(findViolations(QUORUM_BEGUN, ...history, buildFault("flushall", 20, 5))).toEqual([]);
    expect(findViolations(QUORUM_BEGUN, ...history, buildFault("full-memory", 20, 5))).toHaveLength(1);
    expect(findViolations(...history, buildFault("full-memory", 20, 5))).toHaveLength(1);
  });

  it("the linearizability check accepts lost data from the moment of the loss on", () => {
    expect(
      findViolations(buildAcquire("a", 1, 10), buildFault("flushall", 20), buildAcquire("b", 2, 30)),
    ).toEqual([]);
    expect(
      findViolations(buildAcquire("a", 1, 10), buildAcquire("b", 2, 30), buildFault("flushall", 50)),
    ).toHaveLength(1);
  });

  it("the linearizability check decides histories of hundreds of calls with many unanswered ones", () => {
    const history = Array.from({ length: 200 }, (_, n) => [
      ...buildAcquire(`o${n}`, n + 1, 10 * n + 5),
      ...buildRelease(`o${n}`, 10 * n + 7),
      ...(n % 50 === 0 ? unheard(`u${n}`, 10 * n + 6) : []),
    ]).flat();
    expect(checkLinearizability(buildHistory(...history))).toMatchObject({
      violations: [],
      notes: [expect.not.stringContaining("UNDECIDED")],
    });
    expect(findViolations(...history, refused("late", 4000, 4001))).toEqual([]);
    expect(
      findViolations(...history, buildAcquire("x", 400, 8990), buildAcquire("y", 401, 9000)),
    ).toHaveLength(1);
  });

  it("the linearizability check accepts a lease that ends early by the clock step, but no earlier", () => {
    const history = [buildAcquire("a", 1, 10), buildAcquire("b", 2, 300)];
    expect(findViolations(...history, buildClockStep(800, 100, 50))).toEqual([]);
    expect(findViolations(...history, buildClockStep(600, 100, 50))).toHaveLength(1);
    expect(findViolations(...history, buildClockStep(-800, 100, 5000))).toHaveLength(1);
    expect(findViolations(...history, buildClockStep(800, 320, 50))).toHaveLength(1);
  });

  it("the linearizability check accepts successive evictions of holds while the eviction fault lasts", () => {
    const holds = [buildAcquire("a", 1, 10), buildAcquire("b", 2, 30), buildAcquire("c", 3, 50)];
    expect(findViolations(...holds, buildFault("evict", 5, 100))).toEqual([]);
    expect(findViolations(...holds, buildFault("flushall", 5, 100))).toHaveLength(1);
    expect(findViolations(...holds, buildFault("evict", 5, 20))).toHaveLength(1);
  });

  it("the linearizability check accepts a smaller token after data loss with a clock set back on one server", () => {
    const history = [buildAcquire("a", 5, 10), buildRelease("a", 20), buildAcquire("b", 4, 40)];
    const both = buildFault("lose-data-and-set-clock-back", 30, 100);
    expect(findViolations(...history, both)).toEqual([]);
    expect(findViolations(...history, buildFault("flushall", 30, 100))).toHaveLength(1);
    expect(findViolations(QUORUM_BEGUN, ...history, both)).toHaveLength(1);
  });

  it("the linearizability check accepts that a quorum release finds the count of a failed reentry", () => {
    const tried: EntrySpec[] = [
      { op: "reenter", type: "invoke", call: 9, token: "a", atMs: 20 },
      { op: "reenter", type: "fail", call: 9, token: "a", atMs: 30, code: "unavailable" },
    ];
    const [held, left] = [buildAcquire("a", 1, 10), buildRelease("a", 40, { count: 1 })];
    expect(findViolations(QUORUM_BEGUN, held, tried, left)).toEqual([]);
    expect(findViolations(QUORUM_BEGUN, held, left)).toHaveLength(1);
    expect(findViolations(held, tried, left)).toHaveLength(1);
  });

  it("the linearizability check accepts a lost count with a surviving hold if data can be lost in part", () => {
    const entered = [buildAcquire("a", 1, 10), buildReentry("a", 1, 20)];
    const less = [...entered, buildRelease("a", 60, { claim: 2, count: 0 })];
    expect(findViolations(...less, buildFault("evict", 30, 20))).toEqual([]);
    expect(findViolations(...less, buildFault("flushall", 30, 20))).toHaveLength(1);
    expect(findViolations(QUORUM_BEGUN, ...less, buildFault("flushall", 30, 20))).toEqual([]);
    expect(findViolations(QUORUM_BEGUN, ...less, buildFault("full-memory", 30, 20))).toHaveLength(1);
    const more = buildRelease("a", 60, { claim: 2, count: 2 });
    expect(findViolations(QUORUM_BEGUN, ...entered, more, buildFault("evict", 30, 20))).toHaveLength(1);
  });

  it("the linearizability check accepts a reentry refused as lost only in the last moment of the hold", () => {
    const denied = (fromMs: number, toMs: number): EntrySpec[] => [
      { op: "reenter", type: "invoke", call: 9, token: "a", atMs: fromMs },
      { op: "reenter", type: "fail", call: 9, token: "a", atMs: toMs, code: "lost" },
    ];
    expect(findViolations(buildAcquire("a", 1, 10), denied(1000, 1008.5))).toEqual([]);
    expect(findViolations(buildAcquire("a", 1, 10), denied(900, 910))).toHaveLength(1);
    const early = buildClockStep(800, 100, 50);
    expect(findViolations(buildAcquire("a", 1, 10), denied(205, 209), early)).toEqual([]);
  });
});
