import { describe, expect, it } from "vitest";
import { checkCounts } from "./counts.ts";
import { checkFenceOrder } from "./fence-order.ts";
import {
  type AcquireSpec,
  buildAcquire,
  buildAssert,
  buildDowngrade,
  buildFault,
  buildHistory,
  buildReentry,
  buildRelease,
  buildRenewal,
  type EntrySpec,
} from "./history-builder.ts";
import { checkLinearizability } from "./linearizable.ts";
import { checkLiveness } from "./liveness.ts";
import { checkOverlap } from "./overlap.ts";
import { checkSignal } from "./signal.ts";

type History = Parameters<typeof buildHistory>;
const findOverlaps = (...history: History) => checkOverlap(buildHistory(...history)).violations;
const findFences = (...history: History) => checkFenceOrder(buildHistory(...history)).violations;
const findUnordered = (...history: History) => checkLinearizability(buildHistory(...history)).violations;
const findIdle = (...history: History) => checkLiveness(buildHistory(...history)).violations;
const findUnsignalled = (...history: History) => checkSignal(buildHistory(...history)).violations;

const read = (token: string, fence: number, atMs: number, more: AcquireSpec = {}) =>
  buildAcquire(token, fence, atMs, { kind: "read", ...more });
const write = (token: string, fence: number, atMs: number, more: AcquireSpec = {}) =>
  buildAcquire(token, fence, atMs, { kind: "write", ...more });
const permits = (token: string, fence: number, atMs: number, count: number, more: AcquireSpec = {}) =>
  buildAcquire(token, fence, atMs, { kind: "semaphore", permits: count, ...more });
const refused = (token: string, kind: "fair" | "lock", atMs: number): EntrySpec[] => [
  { op: "acquire", type: "invoke", call: 9, token, kind, atMs },
  { op: "acquire", type: "fail", call: 9, token, kind, atMs: atMs + 1, code: "held" },
];

/** Returns the entries with the time of the request set to `atMs`. */
const askedAt = (atMs: number, entries: readonly EntrySpec[]) =>
  entries.map((entry) => (entry.type === "invoke" ? { ...entry, waitMs: 6000, atMs } : entry));

describe("checks of read/write locks", () => {
  it("the exclusion check lets readers overlap, and no writer", () => {
    expect(findOverlaps(read("a", 1, 10), read("b", 1, 20))).toEqual([]);
    expect(findOverlaps(read("a", 1, 10), write("b", 2, 20))).toHaveLength(1);
    expect(findOverlaps(write("a", 1, 10), read("b", 1, 20))).toHaveLength(1);
    expect(findOverlaps(write("a", 1, 10), write("b", 2, 20))).toHaveLength(1);
  });

  it("the exclusion check compares a writer with all readers that overlap it", () => {
    expect(
      findOverlaps(read("a", 1, 10), read("b", 1, 20), buildRelease("b", 30), write("c", 2, 40)),
    ).toHaveLength(1);
  });

  it("the exclusion check treats a writer as a reader from the moment it asks for a downgrade", () => {
    const downgraded = [write("a", 1, 10), buildDowngrade("a", 100)];
    expect(findOverlaps(...downgraded, read("b", 1, 102))).toEqual([]);
    expect(findOverlaps(...downgraded, read("b", 1, 90))).toMatchObject([
      { what: expect.stringContaining("10.0 ms") },
    ]);
    expect(findOverlaps(...downgraded, write("b", 2, 200))).toHaveLength(1);
  });

  it("the exclusion check reports a renewal of a hold that another client had by then", () => {
    const history = [read("a", 1, 10), write("b", 2, 1100), buildRelease("b", 1200), buildRenewal("a", 1300)];
    expect(findOverlaps(...history)).toHaveLength(1);
  });

  it("the token order check requires that readers have the token of the last writer", () => {
    const written = [write("a", 5, 10), buildRelease("a", 20)];
    expect(findFences(...written, read("b", 5, 30), read("c", 5, 40))).toEqual([]);
    expect(findFences(...written, read("b", 4, 30))).not.toEqual([]);
    expect(findFences(...written, read("b", 6, 30))).toMatchObject([
      { what: expect.stringContaining("no writer") },
    ]);
    expect(findFences(read("b", 3, 10), read("c", 3, 20))).toEqual([]);
  });

  it("the token order check accepts the token of a writer that was never answered", () => {
    const unknown: EntrySpec[] = [
      { op: "acquire", type: "invoke", kind: "write", call: 7, token: "u", atMs: 21 },
      { op: "acquire", type: "info", kind: "write", call: 7, token: "u", atMs: 25, code: "unknown_outcome" },
    ];
    expect(findFences(write("a", 5, 10), buildRelease("a", 20), unknown, read("b", 6, 30))).toEqual([]);
    const lost = unknown.map((entry) =>
      entry.type === "info" ? { ...entry, type: "fail" as const, code: "lost" } : entry,
    );
    expect(findFences(write("a", 5, 10), buildRelease("a", 20), lost, read("b", 6, 30))).toEqual([]);
    const held = lost.map((entry) => ({ ...entry, code: "held" }));
    expect(findFences(write("a", 5, 10), buildRelease("a", 20), held, read("b", 6, 30))).toHaveLength(1);
  });

  it("the token order check notes readers with an older token after a failover undid the last writer's grant", () => {
    const failover = buildFault("failover", 100, 100).map((entry) => ({ ...entry, target: "group 1" }));
    const written = (atMs: number) => [
      write("a", 4, 5),
      buildRelease("a", 8),
      write("b", 5, atMs),
      buildRelease("b", atMs + 5),
    ];
    expect(findFences(...written(90), failover, read("c", 4, 1200))).toEqual([]);
    expect(findFences(...written(290), failover, read("c", 4, 1200))).toHaveLength(1);
    expect(findFences(...written(90), buildFault("script-flush", 100), read("c", 4, 1200))).toHaveLength(1);
    expect(findFences(...written(90), failover, write("c", 4, 1200))).not.toEqual([]);
  });

  it("the token order check requires that a writer has a larger token than the readers before", () => {
    expect(findFences(read("a", 5, 10), buildRelease("a", 20), write("b", 5, 30))).toHaveLength(1);
    expect(findFences(read("a", 5, 10), buildRelease("a", 20), write("b", 6, 30))).toEqual([]);
  });

  it("the linearizability check judges each hold of its own", () => {
    const both = [read("a", 1, 10), read("b", 1, 20), buildReentry("a", 1, 30)];
    expect(findUnordered(...both)).toEqual([]);
    expect(
      findUnordered(...both, buildRelease("a", 40), buildRelease("b", 50, { code: "not_held" })),
    ).not.toEqual([]);
  });

  it("the linearizability check reports a downgrade of a hold that was released", () => {
    expect(findUnordered(write("a", 1, 10), buildRelease("a", 20), buildDowngrade("a", 30))).toHaveLength(1);
    expect(findUnordered(write("a", 1, 10), buildDowngrade("a", 30), buildRelease("a", 40))).toEqual([]);
  });

  it("the liveness check reports a reader that waits though only readers hold the lock", () => {
    const waiting = askedAt(5100, read("b", 1, 6500));
    const held = [read("a", 1, 5000), buildRenewal("a", 5900)];
    expect(findIdle(...held, waiting)).toMatchObject([{ what: expect.stringMatching(/^b waited/) }]);
    const writer = [
      { op: "acquire", type: "invoke", kind: "write", call: 7, token: "w", waitMs: 2000, atMs: 5050 },
      { op: "acquire", type: "fail", kind: "write", call: 7, token: "w", atMs: 6480, code: "timeout" },
    ] as const;
    expect(findIdle(...held, waiting, writer)).toEqual([]);
    expect(findIdle(write("a", 1, 5600), askedAt(5600, read("b", 1, 6500)))).toEqual([]);
  });

  it("the loss check requires a signal only from holds that exclude the new one", () => {
    const trusting = (first: EntrySpec[], next: EntrySpec[]) => [first, next, buildAssert("a", 1500)];
    expect(findUnsignalled(...trusting(read("a", 1, 10), read("b", 1, 1100)))).toEqual([]);
    expect(findUnsignalled(...trusting(read("a", 1, 10), write("b", 2, 1100)))).not.toEqual([]);
    expect(findUnsignalled(...trusting(write("a", 1, 10), read("b", 1, 1100)))).not.toEqual([]);
    const downgraded = [...write("a", 1, 10), ...buildDowngrade("a", 100)];
    expect(findUnsignalled(...trusting(downgraded, read("b", 1, 1100)))).toEqual([]);
  });
});

describe("checks of semaphores", () => {
  it("the exclusion check reports more permits than there are, in two holds or in several", () => {
    expect(findOverlaps(permits("a", 1, 10, 3), permits("b", 2, 20, 2))).toEqual([]);
    expect(findOverlaps(permits("a", 1, 10, 3), permits("b", 2, 20, 3))).toHaveLength(1);
    const three = [permits("a", 1, 10, 2), permits("b", 2, 20, 2), permits("c", 3, 30, 2)];
    expect(findOverlaps(...three)).toMatchObject([
      { what: "6 of 5 permits were acquired: a (2), b (2), c (2)" },
    ]);
    expect(findOverlaps(...three.slice(0, 2), buildRelease("a", 25), permits("c", 3, 30, 2))).toEqual([]);
  });

  it("the permits of a plain semaphore are counted in the same way", () => {
    const plain = (token: string, fence: number, atMs: number, count: number) =>
      permits(token, fence, atMs, count, { kind: "plain_semaphore" });
    expect(findOverlaps(plain("a", 1, 10, 3), plain("b", 2, 20, 2))).toEqual([]);
    expect(findOverlaps(plain("a", 1, 10, 3), plain("b", 2, 20, 3))).toHaveLength(1);
    expect(findOverlaps(plain("a", 1, 10, 2), plain("b", 2, 20, 2), plain("c", 3, 30, 2))).toHaveLength(1);
    const waiting = askedAt(5500, plain("b", 2, 6500, 3));
    expect(findIdle(plain("a", 1, 5600, 2), waiting)).toHaveLength(1);
    expect(findIdle(plain("a", 1, 5480, 3), waiting)).toEqual([]);
  });

  it("the exclusion check does not count permits that were lost", () => {
    const three = [permits("a", 1, 10, 2), permits("b", 2, 20, 2), permits("c", 3, 30, 2)];
    expect(findOverlaps(...three, buildFault("flushall", 25))).toEqual([]);
    expect(findOverlaps(...three, buildFault("flushall", 5))).toHaveLength(1);
  });

  it("the token order check requires a larger token of each hold", () => {
    expect(findFences(permits("a", 1, 10, 1), permits("b", 2, 20, 1))).toEqual([]);
    expect(findFences(permits("a", 2, 10, 1), permits("b", 1, 20, 1))).toHaveLength(1);
    expect(findFences(permits("a", 1, 10, 1), permits("b", 1, 20, 1))).not.toEqual([]);
  });

  it("the count check reports a hold that has other permits than were asked for", () => {
    const [asked, granted] = permits("a", 1, 10, 2);
    const findMiscounts = (...history: History) => checkCounts(buildHistory(...history)).violations;
    if (asked === undefined || granted === undefined) throw new Error("an acquire has two entries");
    expect(findMiscounts(asked, granted)).toEqual([]);
    expect(findMiscounts(asked, { ...granted, permits: 3 })).toHaveLength(1);
  });

  it("the liveness check reports a waiter while enough permits for anybody are available", () => {
    const waiting = askedAt(5500, permits("b", 2, 6500, 3));
    expect(findIdle(permits("a", 1, 5600, 2), waiting)).toHaveLength(1);
    expect(findIdle(permits("a", 1, 5480, 3), waiting)).toEqual([]);
  });
});

describe("checks of fair locks", () => {
  it("the linearizability check accepts that a free fair lock is kept for a waiter", () => {
    expect(
      findUnordered(
        buildAcquire("a", 1, 10, { kind: "fair" }),
        buildRelease("a", 20),
        refused("b", "fair", 30),
      ),
    ).toEqual([]);
    expect(
      findUnordered(buildAcquire("a", 1, 10), buildRelease("a", 20), refused("b", "lock", 30)),
    ).toHaveLength(1);
  });

  it("the liveness check allows for a waiter that died before", () => {
    const history = (kind: "fair" | "lock") => {
      const killed = buildFault("kill-worker", 1000, 100);
      const healed: EntrySpec = { op: "calm", type: "info", process: "harness", atMs: 1200 };
      return [killed, healed, askedAt(1400, buildAcquire("b", 2, 7000, { kind }))];
    };
    expect(findIdle(...history("fair"))).toEqual([]);
    expect(findIdle(...history("lock"))).toHaveLength(1);
  });

  it("the liveness check reports a lock that is waited for by one after the other and that nobody gets", () => {
    const gaveUp = (token: string, fromMs: number): EntrySpec[] => {
      const what = { op: "acquire", call: 1, token, kind: "fair" } as const;
      return [
        { ...what, type: "invoke", waitMs: 6000, atMs: fromMs },
        { ...what, type: "fail", code: "timeout", atMs: fromMs + 6000 },
      ];
    };
    const healed: EntrySpec = { op: "calm", type: "info", process: "harness", atMs: 1200 };
    const disturbed = [buildFault("kill-worker", 1000, 100), healed];
    expect(findIdle(...disturbed, gaveUp("a", 1300), gaveUp("b", 3000))).toEqual([]);
    expect(findIdle(...disturbed, gaveUp("a", 1300), gaveUp("b", 5000))).toHaveLength(1);
  });
});
