import { expect, test } from "vitest";
import { countsOf, total } from "./counts.mjs";

test("reports of Vitest and Playwright are counted alike", () => {
  expect(countsOf({ numPassedTests: 12, numFailedTests: 1 })).toEqual({ passed: 12, failed: 1 });
  expect(countsOf({ stats: { expected: 5, flaky: 1, unexpected: 2 } })).toEqual({ passed: 6, failed: 2 });
});

test("a stage that fails without a failing test counts as one failure", () => {
  const unit = { ok: true, counts: { passed: 10, failed: 0 } };
  expect(total([unit, { ok: false }])).toEqual({ passed: 10, failed: 1 });
  expect(total([{ ok: false, counts: { passed: 3, failed: 0 } }])).toEqual({ passed: 3, failed: 1 });
  expect(total([unit, { ok: false, counts: { passed: 3, failed: 2 } }])).toEqual({ passed: 13, failed: 2 });
});
