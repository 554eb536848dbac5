import { describe, expect, it } from "vitest";
import { FAULTS, faultOf } from "./known.ts";
import { scheduleOf } from "./schedule.ts";

const ALL = { forMs: 60_000, faults: [...FAULTS.values()], workers: 5, servers: 5, leaseMs: 1500 };

describe("the schedule of faults", () => {
  it("is of the seed alone", () => {
    expect(scheduleOf({ ...ALL, seed: 7 })).toEqual(scheduleOf({ ...ALL, seed: 7 }));
    expect(scheduleOf({ ...ALL, seed: 7 })).not.toEqual(scheduleOf({ ...ALL, seed: 8 }));
  });

  it("has every fault in time, and ends each before the end", () => {
    const schedule = scheduleOf({ ...ALL, seed: 1, forMs: 300_000 });
    expect(new Set(schedule.map(({ fault }) => fault))).toEqual(new Set(FAULTS.keys()));
    for (const { atMs, forMs } of schedule) expect(atMs + forMs).toBeLessThanOrEqual(300_000);
  });

  it("does nothing to a target that has a fault already", () => {
    const ends = new Map<string, number>();
    for (const { fault, target, atMs, forMs } of scheduleOf({ ...ALL, seed: 3, forMs: 300_000 })) {
      const name = `${faultOf(fault).on} ${target}`;
      expect(atMs).toBeGreaterThan(ends.get(name) ?? 0);
      ends.set(name, atMs + forMs);
    }
  });

  it("is empty without faults", () => {
    expect(scheduleOf({ ...ALL, seed: 1, faults: [] })).toEqual([]);
  });
});
