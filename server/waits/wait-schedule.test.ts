import { describe, expect, test } from "vitest";
import { WaitSchedule } from "./wait-schedule.ts";

const name = (at: number) => `lock:${at}`;
const fill = (schedule: WaitSchedule, count: number, dueAt = 0) => {
  for (let at = 0; at < count; at++) schedule.mark(name(at), dueAt);
};

describe("WaitSchedule", () => {
  test("a lock is read when it is due, and again after 5 s", () => {
    const schedule = new WaitSchedule();
    schedule.mark("a", 300);
    expect(schedule.takeDue(299, 10)).toEqual([]);
    expect(schedule.takeDue(300, 10)).toEqual(["a"]);
    expect(schedule.takeDue(5299, 10)).toEqual([]);
    expect(schedule.takeDue(5300, 10)).toEqual(["a"]);
  });

  test("a later mark does not delay a read", () => {
    const schedule = new WaitSchedule();
    schedule.mark("a", 300);
    schedule.mark("a", 900);
    expect(schedule.takeDue(300, 10)).toEqual(["a"]);
  });

  test("a lock that changed is read before locks that are read again", () => {
    const schedule = new WaitSchedule();
    fill(schedule, 1000);
    for (let read = 0; read < 5; read++) expect(schedule.takeDue(0, 200)).toHaveLength(200);
    schedule.mark("new", 6000);
    schedule.mark(name(999), 6000);
    expect(schedule.takeDue(6000, 3)).toEqual(["new", name(999), name(0)]);
  });

  test("no lock is read twice before all others are read", () => {
    const schedule = new WaitSchedule();
    fill(schedule, 1000);
    const read = (now: number) => Array.from({ length: 5 }, () => schedule.takeDue(now, 200)).flat();
    expect(new Set(read(0)).size).toBe(1000);
    expect(new Set(read(100_000)).size).toBe(1000);
  });

  test("locks beyond the limit are left out, and read when there is room", () => {
    const schedule = new WaitSchedule(2);
    fill(schedule, 4);
    expect([...schedule.leftOut]).toEqual([name(2), name(3)]);
    schedule.takeDue(0, 10);
    schedule.remove(name(0), 100);
    expect([...schedule.leftOut]).toEqual([name(3)]);
    expect(schedule.takeDue(100, 10)).toEqual([name(2)]);
    expect(schedule.has(name(0))).toBe(false);
  });

  test("a lock that changed after it was read is not removed", () => {
    const schedule = new WaitSchedule();
    fill(schedule, 1);
    schedule.takeDue(0, 1);
    schedule.mark(name(0), 50);
    schedule.remove(name(0), 10);
    expect(schedule.takeDue(50, 1)).toEqual([name(0)]);
  });
});
