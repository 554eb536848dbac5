import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENT_TYPES, type GapEvent, type HistoryEntry, type LockEvent } from "@/lib/contract/event.ts";
import { buildTimeline, getHolderCapacity, type HoldBar, toPastHoldBar } from "./timeline-bars.ts";

let idCount = 0;
function event(type: LockEvent["type"], at: number, owner: string, more: Partial<LockEvent> = {}): LockEvent {
  return {
    id: `${at}-${idCount++}`,
    type,
    target: "default",
    key: "lock:a",
    at,
    owner,
    observed: "exact",
    ...more,
  };
}
const gap = (from: number, to: number): GapEvent => ({
  ...{ id: `${to}-${idCount++}`, type: "gap", target: "default", at: to },
  ...{ from, to },
});
const lanesOf = (entries: HistoryEntry[], takes: "one" | "several" | "unknown" = "one", now = 1000) =>
  buildTimeline(entries.toReversed(), takes, now);
const formatBar = ({ owner, from, to, end }: HoldBar) => `${owner} ${from}-${to} ${end}`;
const barsOf = (...given: Parameters<typeof lanesOf>) =>
  lanesOf(...given).lanes.flatMap(({ bars }) => bars.map(formatBar));

describe("history lanes", () => {
  it("a holder that shares the lock does not end the hold of another", () => {
    const shared = { shared: true } as const;
    const events = [
      event("acquired", 100, "reader-a", { fence: "5", ...shared }),
      event("acquired", 200, "reader-b", { fence: "5", ...shared }),
      event("released", 300, "reader-b", { fence: "5", ...shared }),
    ];
    expect(barsOf(events, "several")).toEqual(["reader-a 100-1000 open", "reader-b 200-300 released"]);
  });

  it("readers with equal labels and tokens have separate bars, and lanes while their holds overlap", () => {
    const reader = (type: LockEvent["type"], at: number, heldMs?: number) =>
      event(type, at, "reader", { fence: "5", shared: true, ...(heldMs === undefined ? {} : { heldMs }) });
    const events = [
      reader("acquired", 100),
      reader("acquired", 200),
      reader("renewed", 250),
      reader("released", 300, 200),
      reader("acquired", 400),
      reader("released", 500, 300),
    ];
    const { lanes } = lanesOf(events, "several");
    expect(lanes.map(({ bars }) => bars.map(formatBar))).toEqual([
      ["reader 100-300 released", "reader 400-1000 open"],
      ["reader 200-500 released"],
    ]);
  });

  it("a reader whose end was not observed ends at the gap if a reader with the same label and token follows", () => {
    const reader = (type: LockEvent["type"], at: number, owner = "reader") =>
      event(type, at, owner, { fence: "5", shared: true });
    const events = [
      reader("acquired", 100),
      reader("acquired", 150, "other"),
      gap(200, 300),
      reader("acquired", 400),
    ];
    expect(barsOf(events, "several").sort()).toEqual([
      "other 150-1000 open",
      "reader 100-200 unobserved",
      "reader 400-1000 open",
    ]);
  });

  it("a history has one lane per holder, latest first, with one bar per hold and its outcome", () => {
    const entries = [
      event("acquired", 100, "ada", { fence: "1" }),
      event("reentered", 110, "ada", { fence: "1", count: 2 }),
      event("released", 120, "ada", { fence: "1", count: 1 }),
      event("released", 200, "ada", { fence: "1", count: 0 }),
      event("acquired", 300, "bob", { fence: "2" }),
      event("expired", 400, "bob", { fence: "2" }),
      event("acquired", 500, "ada", { fence: "3" }),
      event("force_released", 600, "ada", { fence: "3", by: "mei", reason: "stuck" }),
      event("acquired", 700, "cid", { fence: "4" }),
    ];
    const { lanes, overlaps, from, to } = lanesOf(entries);
    expect(lanes.map(({ owner, bars }) => [owner, ...bars.map(formatBar)])).toEqual([
      ["cid", "cid 700-1000 open"],
      ["ada", "ada 100-200 released", "ada 500-600 force_released"],
      ["bob", "bob 300-400 expired"],
    ]);
    expect(lanes[1]?.bars[1]?.ended).toMatchObject({ by: "mei", reason: "stuck" });
    expect([overlaps, from, to]).toEqual([[], 100, 1000]);
  });

  it("requests to release a hold and their answers belong to its bar and do not end it", () => {
    const entries = [
      event("acquired", 100, "ada", { fence: "1" }),
      event("release_requested", 110, "ada", { fence: "1", by: "mei", reason: "deploy" }),
      event("release_request_refused", 120, "ada", { fence: "1", reason: "busy" }),
      event("released", 200, "ada", { fence: "1", count: 0 }),
      event("acquired", 300, "bob", { fence: "2" }),
    ];
    expect(barsOf(entries)).toEqual(["bob 300-1000 open", "ada 100-200 released"]);
    const [bob, ada] = lanesOf(entries).lanes.map(({ bars }) => bars[0]?.requests.map(({ at }) => at));
    expect([bob, ada]).toEqual([[], [110, 120]]);
  });

  it("two simultaneous holders are marked as wrong when the end of the first is reported late", () => {
    const entries = [
      event("acquired", 100, "ada", { fence: "1" }),
      event("acquired", 200, "bob", { fence: "2" }),
      event("expired", 230, "ada", { fence: "1" }),
      event("released", 300, "bob", { fence: "2" }),
    ];
    expect(barsOf(entries)).toEqual(["bob 200-300 released", "ada 100-230 expired"]);
    expect(lanesOf(entries).overlaps).toMatchObject([{ from: 200, to: 230, is: "wrong" }]);
    // Because a hold has a fencing token, the overlap is wrong even if the kind of the lock is unknown.
    expect(lanesOf(entries, "unknown").overlaps).toMatchObject([{ is: "wrong" }]);
  });

  it("several readers are not marked as wrong, and unknown kinds are not judged", () => {
    const entries = [
      event("acquired", 100, "ada"),
      event("acquired", 200, "bob"),
      event("released", 300, "ada"),
      event("released", 400, "bob"),
    ];
    expect(lanesOf(entries, "several").overlaps).toEqual([]);
    expect(lanesOf(entries, "unknown").overlaps).toMatchObject([{ from: 200, to: 300, is: "unclear" }]);
    expect(["lock", "fair", "fenced", "multi"].map((kind) => getHolderCapacity(kind as "lock"))).toEqual(
      Array(4).fill("one"),
    );
    expect([getHolderCapacity("read"), getHolderCapacity("semaphore"), getHolderCapacity(null)]).toEqual([
      "several",
      "several",
      "unknown",
    ]);
  });

  it("a hold whose end was not observed ends at the gap, or else at the next hold", () => {
    const watched = [event("acquired", 100, "ada"), gap(200, 300), event("acquired", 400, "bob")];
    expect(barsOf(watched)).toEqual(["bob 400-1000 open", "ada 100-200 unobserved"]);
    expect(barsOf([event("acquired", 100, "ada"), event("acquired", 400, "bob")])).toEqual([
      "bob 400-1000 open",
      "ada 100-400 unobserved",
    ]);
    // After the gap, the lock is observed with the same holder, so the hold continues.
    const kept = [event("acquired", 100, "ada"), gap(200, 300), event("seen", 300, "ada")];
    expect(barsOf(kept)).toEqual(["ada 100-1000 open"]);
  });

  it("a hold of which only the end is loaded is drawn back by its reported duration", () => {
    const [bar] = lanesOf([event("released", 500, "ada", { heldMs: 300 })]).lanes[0]?.bars ?? [];
    expect(bar).toMatchObject({ from: 200, to: 500, fromIs: "exact" });
    const [unknown] = lanesOf([event("expired", 500, "ada")]).lanes[0]?.bars ?? [];
    expect(unknown).toMatchObject({ from: 500, to: 500, fromIs: "at_least" });
  });

  it("an end event without token or owner is assigned to the only hold it can belong to", () => {
    const entries = [
      event("acquired", 100, "ada", { fence: "1" }),
      event("expired", 200, "ada"),
      event("acquired", 300, "bob", { fence: "2" }),
      { ...event("evicted", 400, ""), owner: undefined },
    ];
    expect(barsOf(entries)).toEqual(["bob 300-400 evicted", "ada 100-200 expired"]);
  });
});

const OWNERS = ["ada", "bob", "cid", "dot"];
/** Generates holds of an exclusive lock. The end of a hold can be reported after the next hold has started. */
const holds = fc.array(
  fc.record({
    owner: fc.constantFrom(...OWNERS),
    after: fc.integer({ min: 1, max: 50 }),
    forMs: fc.integer({ min: 1, max: 80 }),
    end: fc.constantFrom("released", "expired", "evicted", "force_released"),
  }),
  { minLength: 1, maxLength: 30 },
);

describe("history lanes of generated histories", () => {
  it("lanes reproduce the holds and overlaps of any generated history", () => {
    fc.assert(
      fc.property(holds, fc.boolean(), (given, isFenced) => {
        const free = new Map<string, number>();
        let at = 0;
        const all = given.map(({ owner, after, forMs, end }, n) => {
          const from = Math.max(at + after, (free.get(owner) ?? 0) + 1);
          at = from;
          free.set(owner, from + forMs);
          return {
            owner,
            from,
            to: from + forMs,
            end: end as "expired",
            fence: isFenced ? `${n}` : undefined,
          };
        });
        const entries = all
          .flatMap(({ owner, from, to, end, fence }) => [
            event("acquired", from, owner, { fence }),
            event(end, to, owner, { fence, count: 0 }),
          ])
          .sort((a, b) => a.at - b.at);
        const { lanes, overlaps } = lanesOf(entries, "one", 10_000);
        const bars = lanes.flatMap((lane) => lane.bars.map(formatBar)).sort();
        expect(bars).toEqual(all.map(({ owner, from, to, end }) => `${owner} ${from}-${to} ${end}`).sort());
        const expected = all.flatMap((one, n) =>
          all
            .slice(n + 1)
            .filter(({ from, owner }) => from < one.to && owner !== one.owner)
            .map(({ from, to }) => `${from}-${Math.min(one.to, to)}`),
        );
        expect(overlaps.map(({ from, to }) => `${from}-${to}`).sort()).toEqual(expected.sort());
      }),
    );
  });

  it("lanes never overlap themselves and stay within the time range for events in any order", () => {
    const entry = fc.oneof(
      {
        weight: 9,
        arbitrary: fc
          .record({
            type: fc.constantFrom(...EVENT_TYPES),
            at: fc.integer({ min: 0, max: 500 }),
            owner: fc.option(fc.constantFrom(...OWNERS), { nil: undefined }),
            fence: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined }),
            count: fc.option(fc.nat(2), { nil: undefined }),
            heldMs: fc.option(fc.nat(300), { nil: undefined }),
          })
          .map(({ type, at, ...more }) => event(type, at, "", more) as HistoryEntry),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.nat(200), fc.nat(200))
          .map(([from, forMs]) => gap(from, from + forMs) as HistoryEntry),
      },
    );
    const takes = fc.constantFrom("one" as const, "several" as const, "unknown" as const);
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), takes, fc.nat(600), (entries, takes, now) => {
        const { lanes, overlaps, gaps, from, to } = buildTimeline(entries, takes, now);
        expect(new Set(lanes.map(({ owner }) => owner)).size).toBe(lanes.length);
        expect(gaps).toHaveLength(entries.filter(({ type }) => type === "gap").length);
        for (const { bars } of lanes) {
          expect(bars.length).toBeGreaterThan(0);
          for (const [n, bar] of bars.entries()) {
            expect(bar.from).toBeLessThanOrEqual(bar.to);
            expect(bar.from).toBeGreaterThanOrEqual(from);
            expect(bar.to).toBeLessThanOrEqual(to);
            if (n > 0) expect(bar.from).toBeGreaterThanOrEqual(bars[n - 1]?.to ?? 0);
          }
        }
        for (const each of overlaps) {
          expect(each.from).toBeLessThan(each.to);
          expect(each.bars[0].owner).not.toBe(each.bars[1].owner);
        }
        if (takes === "several") expect(overlaps).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

it("a hold of a time in the past ends as its event says, and is open where none is recorded", () => {
  const hold = { owner: "ada", fence: "7", since: 10, sinceIs: "exact" as const };
  const ended = event("force_released", 30, "ada", { by: "mei" });
  expect(toPastHoldBar({ ...hold, until: 30, end: "recorded", ended })).toMatchObject({
    ...{ from: 10, to: 30, end: "force_released", ended },
  });
  expect(toPastHoldBar({ ...hold, until: null, end: "open" })).toMatchObject({ end: "open" });
  expect(toPastHoldBar({ ...hold, until: null, end: "unobserved", lastSeen: 20 })).toMatchObject({
    ...{ to: 20, end: "unobserved" },
  });
});
