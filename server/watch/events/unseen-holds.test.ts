import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Observation } from "../../formats/observation.ts";
import { UnseenHolds } from "./unseen-holds.ts";

const KEY = "lock:a";
const FREE: Observation = { state: "free", key: KEY, asOf: 1 };
const HELD = { state: "held", key: KEY } as Observation;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const passMs = (ms: number) => vi.advanceTimersByTime(ms);

/** Advances the clock without running timers. */
function standStillMs(ms: number): void {
  const before = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(before + ms);
}

function createTracker() {
  const longFrom: number[] = [];
  const unseen = new UnseenHolds((from) => longFrom.push(from));
  const notify = (...events: string[]) => {
    for (const event of events) unseen.recordNotification(KEY, event, false);
  };
  const read = (observation: Observation) => {
    passMs(1);
    unseen.checkReading(observation, performance.now());
  };
  return { unseen, longFrom, notify, read };
}

describe("holds that ended before their key was read", () => {
  it("a short one is counted, and is not a long one", () => {
    const { unseen, longFrom, notify, read } = createTracker();
    notify("set", "expire");
    passMs(20);
    notify("del");
    read(FREE);
    expect([unseen.count, longFrom]).toEqual([1, []]);
    unseen.stop();
  });

  it("a hold that a read showed is not counted", () => {
    const { unseen, notify, read } = createTracker();
    notify("set");
    read(HELD);
    notify("del");
    read(FREE);
    expect(unseen.count).toBe(0);
    unseen.stop();
  });

  it("a hold whose read was on its way when it ended is not counted", () => {
    const { unseen, notify, read } = createTracker();
    notify("set");
    const sentAt = performance.now() + 1;
    passMs(5);
    notify("del");
    unseen.checkReading(HELD, sentAt);
    read(FREE);
    expect(unseen.count).toBe(0);
    unseen.stop();
  });

  it("one whose key was read more than 200 ms after its start is a long one", () => {
    const { longFrom, notify, read } = createTracker();
    const startedAt = performance.now();
    notify("set");
    passMs(201);
    notify("del");
    read(FREE);
    expect(longFrom).toEqual([startedAt]);
  });

  it("holds of keys that are dropped because there are too many are reported as long ones", () => {
    const longFrom: number[] = [];
    const unseen = new UnseenHolds((from) => longFrom.push(from), 2);
    const notifyOf = (key: string) => unseen.recordNotification(key, "set", false);
    const startedAt = performance.now();
    notifyOf("lock:1");
    passMs(150);
    notifyOf("lock:2");
    passMs(60);
    notifyOf("lock:3");
    expect(longFrom).toEqual([startedAt]);
    notifyOf("lock:4");
    notifyOf("lock:5");
    expect(longFrom).toEqual([startedAt]);
    unseen.stop();
  });

  it("one whose notifications arrived at one moment after a standstill may be a long one", () => {
    const { longFrom, notify, unseen } = createTracker();
    passMs(100);
    const stoppedAt = performance.now();
    standStillMs(700);
    notify("set", "del");
    vi.spyOn(performance, "now").mockReturnValue(stoppedAt + 701);
    unseen.checkReading(FREE, performance.now());
    expect(longFrom).toEqual([stoppedAt]);
    unseen.stop();
    vi.restoreAllMocks();
  });

  it("a hold of Lockkeeper, whose events are exact, is not counted", () => {
    const { unseen, notify, read } = createTracker();
    notify("set");
    unseen.recordScriptEvent(KEY);
    notify("del");
    read(FREE);
    expect(unseen.count).toBe(0);
    unseen.stop();
  });
});
