import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TimeBudget } from "./time-budget.ts";

vi.mock("node:timers/promises", () => ({ setTimeout: async (ms: number) => vi.advanceTimersByTime(ms) }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

it("the time budget limits work to its share of time plus the saved allowance", async () => {
  const pace = new TimeBudget(0.05, 10);
  const { signal } = new AbortController();
  const startedAt = performance.now();
  await pace.spend(10, signal);
  expect(performance.now() - startedAt).toBe(0);
  for (let work = 0; work < 4; work++) await pace.spend(2, signal);
  expect(performance.now() - startedAt).toBe(160);
});
