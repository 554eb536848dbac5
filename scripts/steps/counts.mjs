import { readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * Reads the JSON report of vitest or Playwright; undefined if there is none, as after a crash.
 *
 * @param {string} file
 * @returns {Counts | undefined}
 */
export function readCounts(file) {
  try {
    return countsOf(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/**
 * @param {{
 *   stats?: { expected: number, flaky: number, unexpected: number },
 *   numPassedTests?: number,
 *   numFailedTests?: number,
 * }} report
 * @returns {Counts}
 */
export function countsOf(report) {
  const { stats } = report;
  // A flaky test did pass, and with `retries: 0` there is none.
  if (stats) return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  return { passed: report.numPassedTests ?? 0, failed: report.numFailedTests ?? 0 };
}

/**
 * A stage that fails without a failing test (a lint error, a file that cannot be loaded) counts as one
 * failure: the last line must never read "0 failed" then.
 *
 * @param {{ ok: boolean, counts?: Counts | undefined }[]} results
 * @returns {Counts}
 */
export function total(results) {
  const sum = { passed: 0, failed: 0 };
  for (const { ok, counts = { passed: 0, failed: 0 } } of results) {
    sum.passed += counts.passed;
    sum.failed += ok ? counts.failed : Math.max(1, counts.failed);
  }
  return sum;
}
