import { describe, expect, it, vi } from "vitest";
import type { LockEvent } from "@/lib/contract/event.ts";
import { EventLog, RECENT_EVENTS_MAX } from "./event-log.ts";

const event = (id: number): LockEvent => ({
  id: String(id),
  type: "acquired",
  target: "main",
  key: "lock:a",
  at: id,
  observed: "exact",
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => event(from + i));
const ids = (log: EventLog) => log.snapshot().events.map(({ id }) => Number(id));
const at = (capacity = 2000) => new EventLog({ capacity, schedule: (run) => run() });

describe("event log", () => {
  it("the event log keeps each event once, in the order of arrival", () => {
    const log = at();
    log.add(range(1, 4));
    log.add(range(2, 6));
    expect(ids(log)).toEqual([1, 2, 3, 4, 5]);
  });

  it("the event log keeps only the latest events", () => {
    const log = at(3);
    log.add(range(1, 3));
    log.add(range(3, 7));
    expect(ids(log)).toEqual([4, 5, 6]);
  });

  it("a paused event log counts new events and catches up on resume", () => {
    const log = at();
    log.add(range(1, 3));
    log.pause();
    log.add(range(3, 6));
    log.add([event(5)]);
    expect(ids(log)).toEqual([1, 2]);
    expect(log.snapshot()).toMatchObject({ paused: true, missed: 3 });
    log.resume();
    expect(ids(log)).toEqual([1, 2, 3, 4, 5]);
    expect(log.snapshot()).toMatchObject({ paused: false, missed: 0 });
  });

  it("the event log notifies its listeners once per burst", () => {
    const waiting: (() => void)[] = [];
    const log = new EventLog({ schedule: (run) => waiting.push(run) });
    const listener = vi.fn();
    log.subscribe(listener);
    for (const one of range(0, 100)) log.add([one]);
    expect(listener).not.toHaveBeenCalled();
    for (const run of waiting) run();
    expect(listener).toHaveBeenCalledTimes(1);
    expect(log.snapshot().events).toHaveLength(100);
  });

  it("the event log returns the same snapshot until something changes", () => {
    const log = at();
    log.add(range(1, 3));
    const before = log.snapshot();
    log.add(range(1, 3));
    expect(log.snapshot()).toBe(before);
  });

  it("an event shown live keeps its place when its recorded copy arrives", () => {
    const log = at();
    log.add([{ ...event(1), id: "live-a-1" }]);
    log.add([event(2)]);
    log.add([{ ...event(3), was: "live-a-1" }]);
    expect(log.snapshot().events.map(({ id }) => id)).toEqual(["3", "2"]);
    log.add([event(3)]);
    expect(log.snapshot().events).toHaveLength(2);
  });

  it("the event log marks a gap when a new connection does not continue the last one", () => {
    const log = at();
    log.addRecent(range(1, 1 + RECENT_EVENTS_MAX));
    log.addRecent(range(100, 100 + RECENT_EVENTS_MAX));
    expect(log.snapshot().skippedBefore.size).toBe(0);
    log.addRecent(range(1000, 1000 + RECENT_EVENTS_MAX));
    expect([...log.snapshot().skippedBefore]).toEqual([["1000", Number.POSITIVE_INFINITY]]);
  });
});
