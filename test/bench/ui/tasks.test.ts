import { describe, expect, it } from "vitest";
import { summarizeTasks } from "./tasks.ts";

const event = (name: string, ts: number, dur?: number, more: object = {}) => ({
  ...{ name, ts, ph: dur === undefined ? "R" : "X", pid: 1, tid: 7 },
  ...(dur === undefined ? {} : { dur }),
  ...more,
});

describe("main-thread tasks of a trace", () => {
  it("only tasks of the page's main thread between the two marks are counted", () => {
    const tasks = summarizeTasks([
      event("ThreadControllerImpl::RunTask", 500, 90_000),
      event("bench:from", 1000),
      event("ThreadControllerImpl::RunTask", 2000, 60_000, { tdur: 20_000 }),
      event("ThreadControllerImpl::RunTask", 70_000, 10_000),
      event("Layout", 71_000, 200_000),
      event("ThreadControllerImpl::RunTask", 72_000, 300_000, { tid: 8 }),
      event("bench:to", 90_000),
      event("ThreadControllerImpl::RunTask", 91_000, 80_000),
    ]);
    expect(tasks).toEqual({ longestMs: 60, longestCpuMs: 20, long: 1, busyMs: 70 });
  });

  it("a trace without the page's marks is rejected", () => {
    expect(() => summarizeTasks([event("ThreadControllerImpl::RunTask", 500, 90_000)])).toThrow(/marks/);
  });
});
