import { describe, expect, it } from "vitest";
import type { HistoryEntry, LockEvent } from "../../lib/contract/event.ts";
import { findHoldsAt, listPastHolds } from "./past-holds.ts";

let ids = 0;
const buildEvent = (type: LockEvent["type"], at: number, more: Partial<LockEvent> = {}): LockEvent => ({
  id: `1-${++ids}`,
  type,
  target: "t",
  key: "lock:a",
  at,
  owner: "me",
  observed: "inferred",
  ...more,
});
const buildGap = (from: number, to: number): HistoryEntry => ({
  id: `1-${++ids}`,
  type: "gap",
  target: "t",
  at: to,
  from,
  to,
});

describe("holds at a point in time", () => {
  it("the holders at a moment are those whose hold had begun and not yet ended", () => {
    const history = [
      buildEvent("acquired", 10, { owner: "reader 1" }),
      buildEvent("acquired", 20, { owner: "reader 2" }),
      buildEvent("released", 30, { owner: "reader 1" }),
      buildEvent("expired", 40, { owner: "reader 2" }),
    ];
    const at = (moment: number) => findHoldsAt(history, moment).map(({ owner }) => owner);
    expect([5, 10, 25, 30, 39, 40].map(at)).toEqual([
      [],
      ["reader 1"],
      ["reader 1", "reader 2"],
      ["reader 2"],
      ["reader 2"],
      [],
    ]);
  });

  it("holds that share a lock do not end one another, even if they have the same fencing token", () => {
    const shared = { shared: true } as const;
    const events = [
      buildEvent("acquired", 10, { owner: "writer", fence: "4" }),
      buildEvent("acquired", 20, { owner: "reader 1", fence: "5", ...shared }),
      buildEvent("acquired", 30, { owner: "reader 2", fence: "5", ...shared }),
      buildEvent("released", 40, { owner: "reader 1", fence: "5", ...shared }),
      buildEvent("acquired", 50, { owner: "permits", fence: "6", ...shared }),
      buildEvent("released", 60, { owner: "permits", fence: "6" }),
    ];
    const at = (moment: number) => findHoldsAt(events, moment).map(({ owner }) => owner);
    expect([35, 45, 55, 65].map(at)).toEqual([
      ["writer", "reader 1", "reader 2"],
      ["writer", "reader 2"],
      ["writer", "reader 2", "permits"],
      ["writer", "reader 2"],
    ]);
    expect(listPastHolds(events)[0]).toMatchObject({ owner: "writer", end: "unobserved" });
  });

  it("a hold without an end event is open, and a partial release is not an end", () => {
    const history = [
      buildEvent("acquired", 10),
      buildEvent("reentered", 20, { count: 2 }),
      buildEvent("released", 30, { count: 1 }),
    ];
    expect(listPastHolds(history)).toMatchObject([{ since: 10, until: null, end: "open" }]);
  });

  it("a hold not seen after a gap has an unseen end, and one seen again is open", () => {
    const lost = [buildEvent("acquired", 10), buildGap(20, 30)];
    expect(listPastHolds(lost)).toMatchObject([{ since: 10, until: null, end: "unobserved", lastSeen: 20 }]);
    expect(listPastHolds([...lost, buildEvent("seen", 35)])).toMatchObject([{ since: 10, end: "open" }]);
  });

  it("the start of a hold is derived from its end event when its acquired event is gone", () => {
    const history = [buildEvent("released", 100, { heldMs: 40, fence: "5" })];
    expect(listPastHolds(history)).toMatchObject([{ since: 60, sinceIs: "exact", until: 100, fence: "5" }]);
  });

  it("holds of one label are distinguished by their fencing tokens", () => {
    const history = [
      buildEvent("acquired", 10, { fence: "5" }),
      buildEvent("released", 20, { fence: "5", heldMs: 10 }),
      buildEvent("acquired", 30, { fence: "6" }),
      buildEvent("released", 40, { fence: "5", owner: "uuid:1" }),
    ];
    expect(listPastHolds(history).map(({ fence, end }) => `${fence} ${end}`)).toContain("6 open");
  });

  it("the end of a hold whose label is no longer known is assigned by its fencing token", () => {
    const history = [
      buildEvent("acquired", 10, { fence: "5" }),
      buildEvent("released", 40, { fence: "5", owner: "uuid:1" }),
    ];
    expect(listPastHolds(history)).toMatchObject([{ since: 10, until: 40, end: "recorded", fence: "5" }]);
  });

  it("a hold followed by a later Lockkeeper hold has an unseen end", () => {
    const history = [
      buildEvent("acquired", 10, { fence: "5" }),
      buildEvent("acquired", 20, { fence: "6", owner: "you" }),
    ];
    expect(listPastHolds(history)).toMatchObject([
      { owner: "me", end: "unobserved", until: null },
      { owner: "you", end: "open" },
    ]);
  });

  it("readers with the same fencing token and label have their own holds", () => {
    const reader = { fence: "5", shared: true } as const;
    const history = [
      buildEvent("acquired", 10, reader),
      buildEvent("acquired", 20, reader),
      buildEvent("released", 30, { ...reader, heldMs: 10 }),
      buildEvent("acquired", 40, reader),
      buildEvent("released", 50, { ...reader, heldMs: 10 }),
    ];
    expect(listPastHolds(history).map(({ since, until }) => [since, until])).toEqual([
      [10, null],
      [20, 30],
      [40, 50],
    ]);
    expect([15, 25, 35, 45, 55].map((at) => findHoldsAt(history, at).length)).toEqual([1, 2, 1, 2, 1]);
  });

  it("only readers with the same label that were seen again after a gap are open", () => {
    const reader = { fence: "5", shared: true } as const;
    const history = [
      buildEvent("acquired", 10, reader),
      buildEvent("acquired", 20, reader),
      buildGap(30, 40),
      buildEvent("seen", 45, reader),
    ];
    expect(listPastHolds(history).map(({ end }) => end)).toEqual(["open", "unobserved"]);
    const both = [...history, buildEvent("seen", 45, reader)];
    expect(listPastHolds(both).map(({ end }) => end)).toEqual(["open", "open"]);
    const ended = [...both, buildEvent("released", 50, { ...reader, heldMs: 30 })];
    expect(listPastHolds(ended).map(({ since, end }) => `${since} ${end}`)).toEqual([
      "10 open",
      "20 recorded",
    ]);
  });

  it.for(["acquired", "recreated"] as const)(
    "a foreign owner whose hold is %s after a gap has two holds",
    (type) => {
      const history = [buildEvent("acquired", 10), buildGap(20, 30), buildEvent(type, 40)];
      expect(listPastHolds(history)).toMatchObject([
        { since: 10, until: null, end: "unobserved", lastSeen: 20 },
        { since: 40, until: null, end: "open" },
      ]);
      expect(listPastHolds([...history, buildEvent("released", 50)])).toMatchObject([
        { since: 10, until: null, end: "unobserved" },
        { since: 40, until: 50, end: "recorded" },
      ]);
    },
  );

  it("a hold that is recorded as acquired after a gap but began before it continues", () => {
    const foreign = [buildEvent("acquired", 10), buildGap(20, 30), buildEvent("acquired", 10)];
    expect(listPastHolds(foreign)).toMatchObject([{ since: 10, end: "open" }]);
    const fenced = [
      buildEvent("acquired", 10, { fence: "5" }),
      buildGap(20, 30),
      buildEvent("acquired", 35, { fence: "5" }),
    ];
    expect(listPastHolds(fenced)).toMatchObject([{ since: 10, end: "open" }]);
  });
});
