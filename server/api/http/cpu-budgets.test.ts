import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RateLimitedError } from "../../errors/request-errors.ts";
import { CpuBudgets } from "./cpu-budgets.ts";
import { toProblemResponse } from "./problem.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const isAvailable = (budgets: CpuBudgets, caller: string) => {
  try {
    budgets.getBudget(caller).assertAvailable();
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
};

it("a caller that has used its processor time waits until the rate has made up for it", () => {
  const budgets = new CpuBudgets({ msPerSecond: 100, burstMs: 200 });
  budgets.getBudget("one").charge(200);
  expect(isAvailable(budgets, "one")).toBe(true);
  budgets.getBudget("one").charge(100);
  expect([isAvailable(budgets, "one"), isAvailable(budgets, "two")]).toEqual([false, true]);
  vi.advanceTimersByTime(900);
  expect(isAvailable(budgets, "one")).toBe(false);
  vi.advanceTimersByTime(200);
  expect(isAvailable(budgets, "one")).toBe(true);
});

it("a refusal has the seconds to wait, and one request never blocks its caller for longer than 30 s", () => {
  const budgets = new CpuBudgets({ msPerSecond: 100, burstMs: 200 });
  budgets.getBudget("one").charge(60_000);
  let refusal: unknown;
  try {
    budgets.getBudget("one").assertAvailable();
  } catch (error) {
    refusal = error;
  }
  const { status, headers } = toProblemResponse(refusal, "");
  expect([status, headers["retry-after"]]).toEqual([429, "30"]);
});

it("without a limit no caller is refused", () => {
  const budgets = new CpuBudgets(undefined);
  budgets.getBudget("one").charge(1_000_000);
  expect(isAvailable(budgets, "one")).toBe(true);
});
