import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  END_EVENT_TYPES,
  EVENT_TYPES,
  type EventType,
  type HistoryEntry,
  isLiveOnly,
  type LockEvent,
} from "../../lib/contract/event.ts";
import { decodeKey, type Key, toKeyFields } from "../../lib/keys/key.ts";
import { Journal, type Unnumbered } from "./journal.ts";

function buildEvent(type: EventType, key: Key = "lock:a", more: Partial<Unnumbered> = {}): Unnumbered {
  return { type, target: "t", ...toKeyFields(key), at: 1, observed: "exact", ...more };
}

/** Creates a journal with `count` events. `at` is the number of each event. */
function createJournal(count: number, capacity?: number): Journal {
  const journal = new Journal(capacity === undefined ? undefined : createRetention(capacity));
  for (let at = 1; at <= count; at++) journal.append(buildEvent("acquired", "lock:a", { at }));
  return journal;
}

const createRetention = (count: number) => ({ most: count, ms: Number.POSITIVE_INFINITY });

function assertDefined<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error("expected a value");
  return value;
}

const listTimes = (events: readonly HistoryEntry[]) => events.map(({ at }) => at);

describe("appended events", () => {
  it("an appended event gets a unique id and is sent to every listener at once", () => {
    const journal = new Journal();
    const received: LockEvent[] = [];
    journal.subscribe((one) => received.push(one));
    const leave = journal.subscribe((one) => received.push(one));
    journal.append(buildEvent("acquired"));
    leave();
    journal.append(buildEvent("released"));
    expect(received.map(({ type }) => type)).toEqual(["acquired", "acquired", "released"]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
    expect(journal.listRecent(10)).toEqual([received[0], received[2]]);
  });

  it("a renewed event is sent to listeners with an id but is not stored", () => {
    const journal = createJournal(1);
    const received: LockEvent[] = [];
    journal.subscribe((one) => received.push(one));
    journal.append(buildEvent("renewed"));
    journal.append(buildEvent("renewed"));
    journal.append(buildEvent("released", "lock:a", { at: 2 }));
    expect(new Set(received.map(({ id }) => id)).size).toBe(3);
    expect(received.map(({ id }) => /^live-/.test(id))).toEqual([true, true, false]);
    expect(listTimes(journal.listRecent(10))).toEqual([1, 2]);
    expect(journal.newest).toBe(received[2]?.id);
    expect(journal.listKeyEvents("lock:a", 10).items.map(({ type }) => type)).toEqual([
      "released",
      "acquired",
    ]);
  });
});

describe("oldest and newest event", () => {
  it("the oldest and newest ids of an empty journal are null", () => {
    expect(new Journal()).toMatchObject({ oldest: null, newest: null });
  });

  it("the oldest and newest ids are those of the first and last stored events", () => {
    const journal = createJournal(3);
    expect([journal.oldest, journal.newest]).toEqual([
      journal.listRecent(3)[0]?.id,
      journal.listRecent(1)[0]?.id,
    ]);
    expect(listTimes(journal.listRecent(2))).toEqual([2, 3]);
  });
});

describe("replay after an id", () => {
  it("a replay returns the events after the given id, possibly none", () => {
    const journal = createJournal(5);
    const [, second] = journal.listRecent(5);
    const replay = journal.replayAfter(assertDefined(second).id);
    expect(replay).toMatchObject({ kind: "events", events: [{ at: 3 }, { at: 4 }, { at: 5 }] });
    expect(journal.replayAfter(assertDefined(journal.newest))).toEqual({ kind: "events", events: [] });
  });

  it("a replay after a dropped event returns the stored events and reports a gap", () => {
    const journal = createJournal(5, 5);
    const [first, , third] = journal.listRecent(5);
    for (let at = 6; at <= 8; at++) journal.append(buildEvent("acquired", "lock:a", { at }));
    expect(listTimes(journal.listRecent(100))).toEqual([4, 5, 6, 7, 8]);
    expect(journal.replayAfter(assertDefined(first).id)).toMatchObject({
      kind: "gap",
      events: journal.listRecent(5),
    });
    expect(journal.replayAfter(assertDefined(third).id)).toMatchObject({
      kind: "events",
      events: journal.listRecent(5),
    });
  });

  it("a replay after an unknown or malformed id returns a reset", () => {
    const journal = createJournal(3);
    const newest = assertDefined(journal.newest);
    const received: LockEvent[] = [];
    journal.subscribe((one) => received.push(one));
    journal.append(buildEvent("renewed"));
    for (const id of [
      `${newest}0`,
      assertDefined(received[0]).id,
      `${newest}x`,
      `${newest}.5`,
      "",
      "-",
      "junk",
      "3",
    ]) {
      expect(journal.replayAfter(id)).toEqual({ kind: "reset" });
    }
  });

  it("a replay after any id neither loses nor repeats events", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...EVENT_TYPES), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(),
        (types, capacity, pick) => {
          const journal = new Journal(createRetention(capacity));
          const kept: LockEvent[] = [];
          journal.subscribe((one) => {
            if (!isLiveOnly(one)) kept.push(one);
          });
          types.forEach((type, at) => {
            journal.append(buildEvent(type, "lock:a", { at }));
          });
          if (kept.length === 0) return;
          const left = pick % kept.length;
          const missed = kept.slice(left + 1);
          const replay = journal.replayAfter(assertDefined(kept[left]).id);
          const held = journal.listRecent(1000);
          if (replay.kind === "events") expect(replay.events).toEqual(missed);
          else {
            expect(replay).toEqual({ kind: "gap", events: held });
            expect(missed.length).toBeGreaterThan(held.length);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("journal capacity", () => {
  it("the journal keeps at most its capacity plus 10% and never drops the newest event", () => {
    const journal = new Journal(createRetention(100));
    for (let at = 1; at <= 1000; at++) {
      journal.append(buildEvent("acquired", "lock:a", { at }));
      const kept = listTimes(journal.listRecent(10_000));
      expect(kept.length).toBeLessThanOrEqual(110);
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(at, 100));
      expect(kept.at(-1)).toBe(at);
    }
  });

  it("renewed events do not use up the capacity", () => {
    const journal = createJournal(1, 10);
    for (let n = 0; n < 1000; n++) journal.append(buildEvent("renewed"));
    expect(listTimes(journal.listRecent(10))).toEqual([1]);
  });
});

describe("history of a lock", () => {
  it("the history of a key contains only its events, newest first", () => {
    const journal = new Journal();
    for (const [type, key] of [
      ["acquired", "lock:a"],
      ["acquired", "lock:b"],
      ["released", "lock:a"],
    ] as const)
      journal.append(buildEvent(type, key));
    const { items, complete } = journal.listKeyEvents("lock:a", 10);
    expect(items.map(({ type }) => type)).toEqual(["released", "acquired"]);
    expect(complete).toBe(true);
    expect(journal.listKeyEvents("lock:c", 10)).toEqual({ items: [], complete: true });
  });

  it("the history of a key that is not UTF-8 is found by its bytes", () => {
    const [one, two] = [decodeKey(Uint8Array.of(0xff)), decodeKey(Uint8Array.of(0xfe))];
    const journal = new Journal();
    journal.append(buildEvent("acquired", one));
    expect(journal.listKeyEvents(one, 10).items).toHaveLength(1);
    expect(journal.listKeyEvents(two, 10).items).toEqual([]);
    expect(journal.listKeyEvents("\ufffd", 10).items).toEqual([]);
  });

  it("a history is complete when it fits the limit and no events were dropped", () => {
    const journal = createJournal(3);
    expect(journal.listKeyEvents("lock:a", 3)).toMatchObject({
      items: [{ at: 3 }, {}, { at: 1 }],
      complete: true,
    });
    expect(journal.listKeyEvents("lock:a", 2)).toMatchObject({
      items: [{ at: 3 }, { at: 2 }],
      complete: false,
    });
  });

  it("a history is incomplete once older events were dropped", () => {
    const journal = createJournal(20, 10);
    journal.append(buildEvent("acquired", "lock:b"));
    expect(journal.listKeyEvents("lock:b", 10).complete).toBe(false);
  });
});

describe("last end of a lock", () => {
  it.each([...END_EVENT_TYPES])("the last end of a key is its latest %s event", (type) => {
    const journal = new Journal();
    journal.append(buildEvent(type, "lock:a", { at: 1 }));
    journal.append(buildEvent("acquired", "lock:a", { at: 2 }));
    journal.append(buildEvent(type, "lock:b", { at: 3 }));
    expect(journal.findLastEnd("lock:a")).toMatchObject({ type, at: 1 });
    journal.append(buildEvent(type, "lock:a", { at: 4 }));
    expect(journal.findLastEnd("lock:a")).toMatchObject({ at: 4 });
  });

  it("a partial release is not the end of a hold", () => {
    const journal = new Journal();
    journal.append(buildEvent("expired", "lock:a", { at: 1 }));
    journal.append(buildEvent("released", "lock:a", { at: 2, count: 1 }));
    expect(journal.findLastEnd("lock:a")).toMatchObject({ type: "expired" });
    journal.append(buildEvent("released", "lock:a", { at: 3, count: 0 }));
    expect(journal.findLastEnd("lock:a")).toMatchObject({ at: 3 });
  });

  it("a key without a known end has no last end", () => {
    const journal = new Journal();
    journal.append(buildEvent("seen"));
    expect(journal.findLastEnd("lock:a")).toBeUndefined();
  });
});
