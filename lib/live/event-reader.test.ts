import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { History, HistoryEntry, LockEvent } from "@/lib/contract/event.ts";
import { toSortableId } from "./event-ids.ts";
import { EventLog } from "./event-log.ts";
import { EventReader } from "./event-reader.ts";

const PAGE = 4;
const CAPACITY = 10;

const event = (n: number): LockEvent => ({
  id: `${n}-0`,
  type: "acquired",
  target: "main",
  key: "lock:a",
  at: n,
  observed: "exact",
});

/** Creates a fake server with `had` events, which returns pages like GET /history, and a reader of its events. */
function world(had: number, from: "now" | "then", wants: (entry: HistoryEntry) => boolean = () => true) {
  const log = new EventLog({ capacity: 6, schedule: (run) => run() });
  const all = Array.from({ length: had }, (_, n) => event(n + 1));
  const end = Math.floor(had / 2);
  const pageOf = (found: LockEvent[]): History => {
    const items = found.slice(0, PAGE);
    const next = found.length > PAGE ? items.at(-1)?.id : undefined;
    return { items, complete: next === undefined, ...(next === undefined ? {} : { next }) };
  };
  const numberOf = (id: string | undefined) => Number(id?.split("-")[0]);
  const wanted = () => all.filter(wants);
  const reader = new EventReader({
    log,
    matches: wants,
    from,
    capacity: CAPACITY,
    pages: {
      before: async (id) => {
        const to = id === undefined ? (from === "then" ? end : Number.POSITIVE_INFINITY) : numberOf(id) - 1;
        return pageOf(
          wanted()
            .filter(({ at }) => at <= to)
            .reverse(),
        );
      },
      after: async (id) => pageOf(wanted().filter(({ at }) => at > (id === undefined ? end : numberOf(id)))),
    },
  });
  const happen = (count: number) => {
    const fresh = Array.from({ length: count }, (_, n) => event(all.length + n + 1));
    all.push(...fresh);
    log.add(fresh);
  };
  const ats = () => reader.snapshot().entries.map(({ at }) => at);
  return { log, reader, happen, all, ats, wanted };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("event reader", () => {
  it("the event reader shows new events and loads older pages back to the beginning", async () => {
    const { reader, happen, ats } = world(6, "now");
    reader.start();
    happen(2);
    expect(ats()).toEqual([8, 7]);
    reader.loadOlder();
    await settled();
    expect(ats()).toEqual([8, 7, 6, 5, 4, 3]);
    expect(reader.snapshot().older).toBe("more");
    reader.loadOlder();
    await settled();
    expect(ats()).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(reader.snapshot().older).toBe("begins");
  });

  it("new events are counted while the event reader is paused or scrolled down, and shown afterwards", () => {
    const { reader, happen, ats } = world(0, "now", ({ at }) => at % 2 === 0);
    reader.start();
    happen(2);
    reader.pause();
    happen(4);
    expect(ats()).toEqual([2]);
    expect(reader.snapshot()).toMatchObject({ paused: true, waiting: 2 });
    reader.resume();
    reader.setScrolledAway(true);
    happen(2);
    expect(ats()).toEqual([6, 4, 2]);
    expect(reader.snapshot()).toMatchObject({ paused: false, waiting: 1 });
    reader.setScrolledAway(false);
    expect(ats()).toEqual([8, 6, 4, 2]);
  });

  it("rows that are held still get no new events until they are asked for or released", () => {
    const { reader, happen, ats } = world(0, "now");
    reader.start();
    reader.holdStill(true);
    happen(2);
    expect(ats(), "an empty list has nothing to hold still").toEqual([2, 1]);
    happen(3);
    expect(ats()).toEqual([2, 1]);
    expect(reader.snapshot()).toMatchObject({ paused: false, waiting: 3 });
    reader.resume();
    expect(ats()).toEqual([5, 4, 3, 2, 1]);
    happen(1);
    expect(reader.snapshot()).toMatchObject({ waiting: 1 });
    reader.holdStill(false);
    expect(ats()).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it("an event reader paused for too long restarts with the latest events, without a gap", async () => {
    const { reader, happen, ats } = world(0, "now");
    reader.start();
    happen(3);
    reader.pause();
    happen(9);
    reader.resume();
    expect(ats()).toEqual([12, 11, 10, 9, 8, 7]);
    reader.loadOlder();
    await settled();
    expect(ats()).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });

  it("the event reader loads from a past moment in both directions and joins live events", async () => {
    const { reader, happen, ats } = world(8, "then");
    reader.start();
    await settled();
    expect(ats()).toEqual([4, 3, 2, 1]);
    happen(1);
    expect(reader.snapshot()).toMatchObject({ newer: "more", waiting: 1 });
    reader.loadNewer();
    await settled();
    expect(reader.snapshot().newer).toBe("more");
    reader.loadNewer();
    await settled();
    expect(ats()).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(reader.snapshot()).toMatchObject({ newer: "live", waiting: 0 });
    happen(1);
    expect(ats()[0]).toBe(10);
  });

  it("the event reader reports a page that fails to load and retries it", async () => {
    let fails = true;
    const log = new EventLog({ schedule: (run) => run() });
    const page = { items: [event(1)], complete: true };
    const before = async () => {
      if (fails) throw new Error("away");
      return page;
    };
    const reader = new EventReader({
      log,
      matches: () => true,
      from: "then",
      pages: { before, after: before },
    });
    reader.start();
    await settled();
    expect(reader.snapshot().older).toBe("failed");
    fails = false;
    reader.loadOlder();
    await settled();
    expect(reader.snapshot()).toMatchObject({ older: "begins", entries: page.items });
  });

  it("an event takes its recorded id once it is recorded, wherever it stands", () => {
    const { reader, log, ats } = world(0, "now");
    reader.start();
    log.add([{ ...event(1), id: "live-a-1" }]);
    log.add([{ ...event(1), id: "5-0", was: "live-a-1" }]);
    expect(ats()).toEqual([1]);
    expect(reader.snapshot().entries[0]?.id).toBe("5-0");
  });

  it("the event reader always shows one contiguous range of bounded length, each event once", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("happen" as const), count: fc.integer({ min: 1, max: 9 }) }),
      fc.record({
        do: fc.constantFrom(
          ...([
            "older",
            "newer",
            "pause",
            "resume",
            "stand",
            "follow",
            "toNow",
            "rest",
            "hold",
            "letGo",
          ] as const),
        ),
      }),
    );
    const scenario = fc.record({
      had: fc.integer({ min: 0, max: 30 }),
      from: fc.constantFrom("now" as const, "then" as const),
      every: fc.integer({ min: 1, max: 3 }),
      steps: fc.array(step, { maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ had, from, every, steps }) => {
        const { reader, happen, wanted } = world(had, from, ({ at }) => at % every === 0);
        reader.start();
        let [paused, standing, held] = [false, false, false];
        for (const each of steps) {
          if (each.do === "happen") happen(each.count);
          if (each.do === "older") reader.loadOlder();
          if (each.do === "newer") reader.loadNewer();
          if (each.do === "pause") reader.pause();
          if (each.do === "resume") reader.resume();
          if (each.do === "stand" || each.do === "follow") reader.setScrolledAway(each.do === "stand");
          if (each.do === "hold" || each.do === "letGo") reader.holdStill(each.do === "hold");
          if (each.do === "toNow") reader.jumpToNow();
          if (each.do === "rest") await settled();
          const toNow = each.do === "toNow" && from === "now";
          paused = each.do === "pause" || (paused && each.do !== "resume" && !toNow);
          standing = each.do === "stand" || (standing && each.do !== "follow" && !toNow);
          held = each.do === "hold" || (held && each.do !== "letGo");
          const { entries, newer } = reader.snapshot();
          const order = entries.map((entry) => toSortableId(entry) ?? 0n);
          const there = wanted().filter((entry) => {
            const id = toSortableId(entry) ?? 0n;
            return id <= (order[0] ?? -1n) && id >= (order.at(-1) ?? 0n);
          });
          expect(order).toEqual(there.map((entry) => toSortableId(entry)).reverse());
          expect(order.length).toBeLessThanOrEqual(CAPACITY);
          if (newer === "live" && !paused && !standing && !held && order.length > 0)
            expect(order[0]).toBe(toSortableId(wanted().at(-1)));
        }
      }),
      { numRuns: 400 },
    );
  });
});
