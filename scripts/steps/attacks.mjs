import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** @typedef {{ file: string, title: string, status: "passed" | "failed" | "skipped" }} TestResult */
/** @typedef {import("../../test/attacks/catalogue/index.mjs").Attack} Attack */
/** @typedef {"passed" | "failed" | "skipped" | "missing"} Verdict */

/**
 * @typedef {object} AttackReport
 * @property {string} summary a line such as "attacks: 74 of 74 passed", followed by a line for each attack that did not
 * pass
 * @property {number} unproven number of attacks whose test was skipped or did not run. Failed tests are not included
 * because their stage counts them
 */

/**
 * Reads the result of each test from JSON reports of vitest or Playwright. A report that is missing, such as after a
 * crash, is ignored.
 *
 * @param {string[]} reports paths of the reports. For each test file, the last report that contains it counts
 * @param {string} root folder to which the paths of test files are relative
 * @returns {TestResult[]}
 */
export function readTestResults(reports, root) {
  /** @type {Map<string, TestResult[]>} */
  const byFile = new Map();
  for (const report of reports) {
    const results = listTestResults(readReport(report), root);
    for (const file of new Set(results.map((result) => result.file)))
      byFile.set(
        file,
        results.filter((result) => result.file === file),
      );
  }
  return [...byFile.values()].flat();
}

/**
 * @param {string} file
 * @returns {JsonReport}
 */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/**
 * @typedef {object} JsonReport
 * @property {{ name: string, assertionResults: { title: string, status: string }[] }[]} [testResults]
 * @property {{ rootDir: string }} [config]
 * @property {PlaywrightSuite[]} [suites]
 */

/**
 * @typedef {object} PlaywrightSuite
 * @property {string} file
 * @property {{ title: string, ok: boolean, tests: { status: string }[] }[]} [specs]
 * @property {PlaywrightSuite[]} [suites]
 */

/**
 * @param {JsonReport} report
 * @param {string} root
 * @returns {TestResult[]}
 */
export function listTestResults({ testResults = [], config, suites = [] }, root) {
  const vitest = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({
      file: relative(root, name),
      title,
      status: toStatus(status === "passed", status === "failed"),
    })),
  );
  return [...vitest, ...suites.flatMap((suite) => listSuite(suite, relative(root, config?.rootDir ?? root)))];
}

/**
 * @param {PlaywrightSuite} suite
 * @param {string} folder
 * @returns {TestResult[]}
 */
function listSuite({ file, specs = [], suites = [] }, folder) {
  const own = specs.map(({ title, ok, tests }) => ({
    file: `${folder}/${file}`,
    title,
    // Playwright also sets `ok` for skipped tests.
    status: toStatus(ok && tests.length > 0 && tests.every(({ status }) => status !== "skipped"), !ok),
  }));
  return [...own, ...suites.flatMap((suite) => listSuite(suite, folder))];
}

/**
 * @param {boolean} isPassed
 * @param {boolean} isFailed
 * @returns {TestResult["status"]}
 */
const toStatus = (isPassed, isFailed) => (isPassed ? "passed" : isFailed ? "failed" : "skipped");

/**
 * Checks for each attack that its test ran and passed.
 *
 * @param {readonly Attack[]} attacks
 * @param {TestResult[]} results
 * @returns {AttackReport}
 */
export function judgeAttacks(attacks, results) {
  const judged = attacks.map((attack) => ({ attack, verdict: judgeAttack(attack, results) }));
  const bad = judged.filter(({ verdict }) => verdict !== "passed");
  const lines = bad.map(
    ({ attack: { id, file, test }, verdict }) => `attack ${id}: ${verdict} (${file} "${test}")`,
  );
  return {
    summary: [...lines, `attacks: ${judged.length - bad.length} of ${judged.length} passed`].join("\n"),
    unproven: bad.filter(({ verdict }) => verdict !== "failed").length,
  };
}

/**
 * @param {Attack} attack
 * @param {TestResult[]} results
 * @returns {Verdict}
 */
function judgeAttack({ file, test }, results) {
  const title = new RegExp(`^${test.split("%s").map(escapeRegExp).join(".+")}$`, "s");
  const statuses = results.filter((result) => result.file === file && title.test(result.title));
  if (statuses.length === 0) return "missing";
  for (const status of /** @type {const} */ (["failed", "skipped"]))
    if (statuses.some((result) => result.status === status)) return status;
  return "passed";
}

/** @param {string} text */
const escapeRegExp = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/**
 * Returns the stage that runs a test file.
 *
 * @param {string} file
 * @returns {"unit" | "integration" | "e2e"}
 */
export function getStageOf(file) {
  if (file.endsWith(".spec.ts")) return "e2e";
  return file.endsWith(".integration.test.ts") ? "integration" : "unit";
}
