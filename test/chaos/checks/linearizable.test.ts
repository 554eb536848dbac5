import { describe, expect, it } from "vitest";
import { linearizable } from "./linearizable.ts";
import { gave, happened, onQuorum, stepped, type Told, told, took } from "./told.ts";

const violationsOf = (...history: Parameters<typeof told>) => linearizable(told(...history)).violations;

const refused = (owner: string, fromMs: number, toMs: number, code = "held"): Told[] => [
  { op: "acquire", type: "invoke", call: 9, owner, atMs: fromMs },
  { op: "acquire", type: "fail", call: 9, owner, atMs: toMs, code },
];
const unheard = (owner: string, atMs: number): Told[] => [
  { op: "acquire", type: "invoke", call: 7, owner, atMs: atMs - 1 },
  { op: "acquire", type: "info", call: 7, owner, atMs, code: "unknown_outcome" },
];

describe("C4 linearizability", () => {
  it("the linearizability check passes when holds follow each other by release or expiry", () => {
    const history = [took("a", 1, 10), gave("a", 20), took("b", 2, 30), took("c", 3, 1031)];
    expect(violationsOf(...history)).toEqual([]);
  });

  it("the linearizability check passes when concurrent calls fit in at least one order", () => {
    const late = gave("a", 20).map((entry) => (entry.type === "ok" ? { ...entry, atMs: 60 } : entry));
    expect(violationsOf(took("a", 1, 10), late, took("b", 2, 40, { tookMs: 15 }))).toEqual([]);
  });

  it("the linearizability check reports a grant before the release was requested", () => {
    expect(violationsOf(took("a", 1, 10), took("b", 2, 30), gave("a", 40))).toHaveLength(1);
  });

  it("the linearizability check reports a grant whose token is not above the last one", () => {
    expect(violationsOf(took("a", 5, 10), gave("a", 20), took("b", 4, 30))).toHaveLength(1);
  });

  it("the linearizability check reports a refusal of a free lock", () => {
    expect(violationsOf(took("a", 1, 10), gave("a", 20), refused("b", 15, 25))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), gave("a", 20), refused("b", 30, 40))).toHaveLength(1);
  });

  it("the linearizability check requires no single order across a failover, but one before and after it", () => {
    const failover = happened("kill-master", 1000, 500);
    const undone = [took("a", 1, 900), took("b", 2, 1400), failover];
    expect(violationsOf(...undone)).toEqual([]);
    expect(violationsOf(took("a", 1, 900), took("b", 2, 950))).toHaveLength(1);
    expect(violationsOf(...undone, took("c", 3, 1600), took("d", 4, 1700))).toHaveLength(1);
    expect(violationsOf(took("x", 1, 100), took("y", 2, 200), ...undone)).toHaveLength(1);
    // Whoever had it before may have it again, and who was granted it meanwhile may have it still.
    expect(violationsOf(...undone, refused("e", 1600, 1610), gave("b", 1700), took("e", 3, 1800))).toEqual(
      [],
    );
  });

  it("the linearizability check counts reentrant acquires and releases", () => {
    const entered = [took("a", 1, 10), took("a", 1, 20, { call: 2, count: 2 })];
    expect(violationsOf(...entered, gave("a", 30, { claim: 2, count: 1 }), gave("a", 40))).toEqual([]);
    expect(violationsOf(...entered, gave("a", 30, { claim: 2, count: 0 }))).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), took("a", 1, 20, { call: 2, count: 3 }))).toHaveLength(1);
  });

  it("the linearizability check reports not_held for a live hold", () => {
    expect(violationsOf(took("a", 1, 10), gave("a", 30, { code: "not_held" }))).toHaveLength(1);
    expect(violationsOf(took("a", 1, 10), gave("a", 1030, { code: "not_held" }))).toEqual([]);
  });

  it("the linearizability check reports a wrong verify result for a held or a lost lock", () => {
    const asked = (owner: string, atMs: number, told: Partial<Told>): Told[] => [
      { op: "verify", type: "invoke", call: 8, owner, atMs: atMs - 1 },
      { op: "verify", type: "ok", call: 8, owner, atMs, ...told },
    ];
    const history = [took("a", 1, 10), asked("a", 20, {}), gave("a", 30), took("b", 2, 40)];
    expect(violationsOf(...history, asked("a", 50, { type: "fail", code: "lost" }))).toEqual([]);
    expect(violationsOf(...history, asked("a", 50, {}))).toHaveLength(1);
    expect(violationsOf(...history, asked("b", 50, { type: "fail", code: "lost" }))).toHaveLength(1);
  });

  it("the linearizability check accepts that a call without a response took effect at any time or never", () => {
    const history = [unheard("a", 10), refused("b", 20, 30), took("c", 2, 50)];
    expect(violationsOf(...history)).toEqual([]);
    expect(violationsOf(refused("b", 20, 30), took("c", 2, 50))).toHaveLength(1);
  });

  it("the linearizability check accepts that a retried HTTP request is still in flight", () => {
    const twice = (entries: readonly Told[]) =>
      entries.map((entry) => (entry.type === "invoke" ? entry : { ...entry, asked: 2 }));
    const granted = [gave("a", 20), refused("b", 30, 40)];
    expect(violationsOf(twice(took("a", 1, 10)), ...granted)).toEqual([]);
    expect(violationsOf(took("a", 1, 10), ...granted)).toHaveLength(1);
    const late = [took("b", 2, 20), gave("b", 30), refused("c", 40, 50)];
    for (const code of ["held", "timeout", "unavailable"]) {
      const before = [took("x", 1, 5), gave("x", 15)];
      expect(violationsOf(...before, twice(refused("a", 6, 10, code)), ...late)).toEqual([]);
      expect(violationsOf(...before, refused("a", 6, 10, code), ...late)).toHaveLength(1);
    }
  });

  it("the linearizability check accepts an HTTP release of which only the last attempt certainly failed", () => {
    const released = gave("a", 20, { code: "unavailable" }).map((entry) =>
      entry.type === "ok" ? { ...entry, type: "info" as const } : entry,
    );
    const twice = released.map((entry) => (entry.type === "info" ? { ...entry, asked: 2 } : entry));
    expect(violationsOf(took("a", 1, 10), twice, took("b", 2, 40))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), released, took("b", 2, 40))).toHaveLength(1);
  });

  it("the linearizability check accepts a partial quorum release that ends the hold and returns not_held", () => {
    const [asked, denied] = gave("a", 30, { code: "not_held" });
    const history = [took("a", 1, 10), asked ?? [], took("b", 2, 40), { ...denied, atMs: 60 } as Told];
    expect(violationsOf(onQuorum, ...history)).toEqual([]);
    expect(violationsOf(...history)).toHaveLength(1);
    expect(violationsOf(onQuorum, took("a", 1, 10), took("b", 2, 20), asked ?? [])).toHaveLength(1);
  });

  it("the linearizability check accepts a release that the server applied and then lost with its data", () => {
    const [asked, denied] = gave("a", 30, { code: "not_held" });
    const history = [took("a", 1, 10), asked ?? [], took("b", 2, 40), { ...denied, atMs: 60 } as Told];
    expect(violationsOf(...history, happened("flushall", 50))).toEqual([]);
    expect(violationsOf(...history, happened("flushall", 70))).toHaveLength(1);
  });

  it("the linearizability check accepts a quorum release that finds the votes left after masters lost data", () => {
    const history = [took("a", 1, 10), took("b", 2, 40), gave("a", 50)];
    expect(violationsOf(onQuorum, ...history, happened("flushall", 20, 5))).toEqual([]);
    expect(violationsOf(onQuorum, ...history, happened("full-memory", 20, 5))).toHaveLength(1);
    expect(violationsOf(...history, happened("full-memory", 20, 5))).toHaveLength(1);
  });

  it("the linearizability check accepts lost data from the moment of the loss on", () => {
    expect(violationsOf(took("a", 1, 10), happened("flushall", 20), took("b", 2, 30))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), took("b", 2, 30), happened("flushall", 50))).toHaveLength(1);
  });

  it("the linearizability check decides histories of hundreds of calls with many unanswered ones", () => {
    const history = Array.from({ length: 200 }, (_, n) => [
      ...took(`o${n}`, n + 1, 10 * n + 5),
      ...gave(`o${n}`, 10 * n + 7),
      ...(n % 50 === 0 ? unheard(`u${n}`, 10 * n + 6) : []),
    ]).flat();
    expect(linearizable(told(...history))).toMatchObject({
      violations: [],
      notes: [expect.not.stringContaining("UNDECIDED")],
    });
    expect(violationsOf(...history, refused("late", 4000, 4001))).toEqual([]);
    expect(violationsOf(...history, took("x", 400, 8990), took("y", 401, 9000))).toHaveLength(1);
  });

  it("the linearizability check accepts a lease that ends early by the clock step, but no earlier", () => {
    const history = [took("a", 1, 10), took("b", 2, 300)];
    expect(violationsOf(...history, stepped(800, 100, 50))).toEqual([]);
    expect(violationsOf(...history, stepped(600, 100, 50))).toHaveLength(1);
    expect(violationsOf(...history, stepped(-800, 100, 5000))).toHaveLength(1);
    expect(violationsOf(...history, stepped(800, 320, 50))).toHaveLength(1);
  });

  it("the linearizability check accepts successive evictions of holds while the eviction fault lasts", () => {
    const holds = [took("a", 1, 10), took("b", 2, 30), took("c", 3, 50)];
    expect(violationsOf(...holds, happened("evict", 5, 100))).toEqual([]);
    expect(violationsOf(...holds, happened("flushall", 5, 100))).toHaveLength(1);
    expect(violationsOf(...holds, happened("evict", 5, 20))).toHaveLength(1);
  });

  it("the linearizability check accepts a smaller token after data loss with a clock set back on one server", () => {
    const history = [took("a", 5, 10), gave("a", 20), took("b", 4, 40)];
    const both = happened("lose-data-and-set-clock-back", 30, 100);
    expect(violationsOf(...history, both)).toEqual([]);
    expect(violationsOf(...history, happened("flushall", 30, 100))).toHaveLength(1);
    expect(violationsOf(onQuorum, ...history, both)).toHaveLength(1);
  });

  it("the linearizability check accepts that a quorum release finds votes of the owner's failed attempt", () => {
    const lost = [took("a", 1, 10), took("b", 2, 1500), gave("b", 1510)];
    const tried: Told[] = [
      { op: "acquire", type: "invoke", call: 9, owner: "a", atMs: 1520 },
      { op: "acquire", type: "fail", call: 9, owner: "a", atMs: 1530, code: "unavailable" },
    ];
    expect(violationsOf(onQuorum, ...lost, tried, gave("a", 1540))).toEqual([]);
    expect(violationsOf(onQuorum, ...lost, gave("a", 1540))).toHaveLength(1);
    expect(violationsOf(...lost, tried, gave("a", 1540))).toHaveLength(1);
  });

  it("the linearizability check accepts a lost count with a surviving hold if data can be lost in part", () => {
    const entered = [took("a", 1, 10), took("a", 1, 20, { call: 2, count: 2 })];
    const less = [...entered, gave("a", 60, { claim: 2, count: 0 })];
    expect(violationsOf(...less, happened("evict", 30, 20))).toEqual([]);
    expect(violationsOf(...less, happened("flushall", 30, 20))).toHaveLength(1);
    expect(violationsOf(onQuorum, ...less, happened("flushall", 30, 20))).toEqual([]);
    expect(violationsOf(onQuorum, ...less, happened("full-memory", 30, 20))).toHaveLength(1);
    const more = gave("a", 60, { claim: 2, count: 2 });
    expect(violationsOf(onQuorum, ...entered, more, happened("evict", 30, 20))).toHaveLength(1);
  });

  it("the linearizability check accepts that an owner is refused by its own hold only in its last moment", () => {
    expect(violationsOf(took("a", 1, 10), refused("a", 1000, 1008.5))).toEqual([]);
    expect(violationsOf(took("a", 1, 10), refused("a", 900, 910))).toHaveLength(1);
    const early = stepped(800, 100, 50);
    expect(violationsOf(took("a", 1, 10), refused("a", 205, 209), early)).toEqual([]);
  });
});
