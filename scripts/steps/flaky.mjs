import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** Maximum number of test files that may fail and pass when rerun in one run. */
export const FLAKY_FILES_MAX = 2;
/** Paths of test files that are not rerun after a failure: the tests of the lock core and of the formats. */
export const NEVER_FLAKY = ["server/locks/", "server/formats/", "test/conformance/", "test/hazards/"];

/**
 * Returns the failed test files in a JSON report of vitest or Playwright. Returns no files if there is no report, such
 * as after a crash, or if the report has errors outside of tests.
 *
 * @param {string} report
 * @param {string} root folder to which the returned paths are relative
 * @returns {string[]}
 */
export function readFailedFiles(report, root) {
  try {
    return listFailedFiles(JSON.parse(readFileSync(report, "utf8")), root);
  } catch {
    return [];
  }
}

/**
 * @param {{
 *   testResults?: { name: string, status: string }[],
 *   config?: { rootDir: string },
 *   suites?: PlaywrightSuite[],
 *   errors?: unknown[],
 * }} report
 * @param {string} root
 * @returns {string[]}
 */
export function listFailedFiles({ testResults, config, suites, errors = [] }, root) {
  if (errors.length > 0) return [];
  const failed = testResults
    ? testResults.filter(({ status }) => status === "failed").map(({ name }) => name)
    : (suites ?? [])
        .filter((suite) => !isPassed(suite))
        .map(({ file }) => `${config?.rootDir ?? root}/${file}`);
  return [...new Set(failed.map((file) => relative(root, file)))];
}

/** @typedef {{ file: string, specs?: { ok: boolean }[], suites?: PlaywrightSuite[] }} PlaywrightSuite */

/**
 * @param {PlaywrightSuite} suite
 * @returns {boolean}
 */
function isPassed({ specs = [], suites = [] }) {
  return specs.every(({ ok }) => ok) && suites.every(isPassed);
}

/**
 * Returns why failed test files must not be rerun, or `undefined` if they may be.
 *
 * @param {string[]} files
 * @returns {string | undefined}
 */
export function refuseRerun(files) {
  if (files.length > FLAKY_FILES_MAX)
    return `${files.length} test files failed; at most ${FLAKY_FILES_MAX} are rerun`;
  const core = files.find((file) => NEVER_FLAKY.some((folder) => file.startsWith(folder)));
  return core && `${core} covers the lock core or the formats and is never rerun`;
}
