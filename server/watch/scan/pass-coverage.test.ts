import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PassCoverage } from "./pass-coverage.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = (ms: number) => vi.advanceTimersByTime(ms);

it("the gap of even passes is their period and the time of one part", () => {
  const coverage = new PassCoverage();
  for (let pass = 0; pass < 2; pass++) {
    coverage.startPass();
    for (let part = 1; part <= 64; part++) {
      wait(100);
      coverage.recordProgress(part / 64);
    }
    coverage.completePass();
    if (pass === 0) {
      expect(coverage.gapMs).toBeUndefined();
      wait(1000);
    }
  }
  expect(coverage.gapMs).toBe(64 * 100 + 1000 + 100);
});

it("the gap grows while a pass hangs", () => {
  const coverage = new PassCoverage();
  for (let pass = 0; pass < 2; pass++) {
    coverage.startPass();
    wait(1000);
    coverage.completePass();
  }
  expect(coverage.gapMs).toBe(2000);
  coverage.startPass();
  wait(9000);
  expect(coverage.gapMs).toBe(10_000);
});

it("a pass that was broken off counts for nothing", () => {
  const coverage = new PassCoverage();
  coverage.startPass();
  wait(1000);
  coverage.completePass();
  coverage.startPass();
  wait(5000);
  coverage.recordProgress(0.5);
  coverage.startPass();
  wait(1000);
  coverage.completePass();
  expect(coverage.gapMs).toBe(7000);
});
