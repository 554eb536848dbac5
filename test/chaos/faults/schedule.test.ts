import { describe, expect, it } from "vitest";
import { FAULTS, getFault } from "./catalog.ts";
import type { PlannedFault } from "./fault.ts";
import { createSchedule } from "./schedule.ts";

const ALL = {
  forMs: 60_000,
  faults: [...FAULTS.values()],
  targets: { worker: 7, server: 5, api: 2, group: 1 },
  leaseMs: 1500,
};

describe("fault schedule", () => {
  it("the fault schedule depends on the seed alone", () => {
    expect(createSchedule({ ...ALL, seed: 7 })).toEqual(createSchedule({ ...ALL, seed: 7 }));
    expect(createSchedule({ ...ALL, seed: 7 })).not.toEqual(createSchedule({ ...ALL, seed: 8 }));
  });

  it("the fault schedule contains every fault and ends each one within the run", () => {
    const schedule = createSchedule({ ...ALL, seed: 1, forMs: 600_000 });
    expect(new Set(schedule.map(({ fault }) => fault))).toEqual(new Set(FAULTS.keys()));
    for (const { atMs, forMs } of schedule) expect(atMs + forMs).toBeLessThanOrEqual(600_000);
  });

  it("the fault schedule never starts a fault on a target that already has one", () => {
    const ends = new Map<string, number>();
    for (const { fault, target, atMs, forMs } of createSchedule({ ...ALL, seed: 3, forMs: 300_000 })) {
      const name = `${getFault(fault).on} ${target}`;
      expect(atMs).toBeGreaterThan(ends.get(name) ?? 0);
      ends.set(name, atMs + forMs);
    }
  });

  it("the fault schedule is empty without faults", () => {
    expect(createSchedule({ ...ALL, seed: 1, faults: [] })).toEqual([]);
  });

  describe.each([1, 5])("fault schedule for %i server clocks", (servers) => {
    const seeds = Array.from({ length: 300 }, (_, seed) => seed);
    const faults = [...FAULTS.values()].filter(({ on }) => on === "server");
    const inOrder = faults.filter(({ asked }) => asked === undefined);

    it.each([
      [inOrder, "all faults"],
      [faults.filter(({ steps, loses }) => steps ?? loses === "data"), "clock and data loss faults only"],
    ])(
      "the schedule loses no data while no majority of clocks is past the highest token (%#: $1)",
      (some) => {
        const kept = servers === 1 ? some.filter(({ loses }) => loses !== "fences") : some;
        for (const seed of seeds) {
          const schedule = createSchedule({
            ...ALL,
            faults: kept,
            targets: { ...ALL.targets, server: servers },
            seed,
            forMs: 120_000,
          });
          expect(unsafe(schedule, servers), `seed ${seed}`).toEqual([]);
        }
      },
    );

    it("the schedule steps clocks both ways, by milliseconds and by minutes, also during data loss", () => {
      const steps = seeds.flatMap((seed) =>
        createSchedule({
          ...ALL,
          faults: inOrder,
          targets: { ...ALL.targets, server: servers },
          seed,
          forMs: 120_000,
        }).map(({ stepMs }) => stepMs),
      );
      for (const sign of [1, -1]) {
        const sizes = steps.map((stepMs) => sign * stepMs).filter((size) => size > 0);
        expect(Math.min(...sizes)).toBeLessThan(100);
        expect(sizes.filter((size) => size > 1500 && size < 6000).length).toBeGreaterThan(10);
        expect(sizes.filter((size) => size >= 60_000).length).toBeGreaterThan(10);
      }
    });
  });
});

/**
 * Lists the wall clock of each server at a time in the schedule. A fault can end up to `LATE_MS` later than planned.
 */
function listClockFaults(atMs: number, schedule: readonly PlannedFault[], servers: number): number[] {
  return Array.from({ length: servers }, (_, server) => {
    const wrong = schedule.find(
      (each) =>
        each.target === server &&
        each.stepMs !== 0 &&
        each.atMs <= atMs &&
        atMs <= each.atMs + each.forMs + LATE_MS,
    );
    return atMs + (wrong?.stepMs ?? 0);
  });
}
const LATE_MS = 200;

/** Finds data losses after which a majority may issue a fence that is smaller than an earlier fence. */
function unsafe(schedule: readonly PlannedFault[], servers: number): string[] {
  const times = schedule
    .flatMap(({ atMs, forMs }) => [
      atMs,
      atMs + 1,
      atMs + forMs,
      atMs + forMs + LATE_MS,
      atMs + forMs + LATE_MS + 1,
    ])
    .sort((one, other) => one - other);
  const majority = Math.floor(servers / 2) + 1;
  let highest = 0;
  let lostBelow = Number.NEGATIVE_INFINITY;
  return times.flatMap((atMs) => {
    const clocks = listClockFaults(atMs, schedule, servers).sort((one, other) => one - other);
    // A majority issues the time of its fastest clock, and this is the majority with the slowest clocks.
    const least = clocks[majority - 1] ?? 0;
    const found = least < lostBelow ? [`${atMs}: ${least} is below ${lostBelow}`] : [];
    highest = Math.max(highest, ...clocks);
    const isLosing = schedule.some(
      ({ fault, atMs: from, forMs }) => losesData(fault) && from <= atMs && atMs <= from + forMs + LATE_MS,
    );
    if (isLosing) lostBelow = highest;
    return found;
  });
}

const losesData = (fault: string) => ["data", "fences"].includes(getFault(fault).loses);
