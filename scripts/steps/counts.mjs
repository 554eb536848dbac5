import { readFileSync } from "node:fs";

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * Reads the number of passed and failed tests from a JSON report of vitest or Playwright. Returns `undefined` if there
 * is no report, such as after a crash.
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
  // Playwright counts a test that passed on a retry as flaky. With `retries: 0`, there are no such tests.
  if (stats) return { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  return { passed: report.numPassedTests ?? 0, failed: report.numFailedTests ?? 0 };
}

/**
 * Adds up the counts of all stages. A stage that failed without a failed test, for example because of a lint error,
 * counts as one failure. The last line of a failed run is therefore never "0 failed".
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
