// npm test                        all stages; later stages also run after a failure
// npm test -- unit integration    only the named stages
// npm test -- --rerun-failed      reruns a failed test file once and reports it as `flaky: <file>` (.ci/run)
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ATTACKS } from "../test/attacks/catalogue/index.mjs";
import { getStageOf, judgeAttacks, readTestResults } from "./steps/attacks.mjs";
import { runChild, StepError } from "./steps/child.mjs";
import { findChromium } from "./steps/chromium.mjs";
import { readCounts, total } from "./steps/counts.mjs";
import { readFailedFiles, refuseRerun } from "./steps/flaky.mjs";
import { elapsed } from "./steps/progress.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RERUN = "--rerun-failed";
const reports = mkdtempSync(join(tmpdir(), "lockkeeper-test-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

/** @typedef {[command: string, ...args: string[]]} Command */

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {Command[]} commands commands of the stage. All of them run, even if one fails
 * @property {number} [concurrency] maximum number of commands that run at the same time; 1 by default. Above 1, the
 * output of each command is printed when it ends
 * @property {("redis" | "chromium")[]} [needs]
 * @property {string} [after] name of an earlier stage. If that stage failed, this one is skipped
 * @property {(files: string[], report: string) => Command} [tests] returns the command that runs test files and writes
 * a JSON report
 */

/** @param {string} name */
const bin = (name) => join(ROOT, "node_modules/.bin", name);
/** @param {string} name */
const report = (name) => join(reports, `${name}.json`);

/**
 * @param {"unit" | "integration"} name
 * @returns {NonNullable<Stage["tests"]>}
 */
const vitest = (name) => (files, output) => [
  bin("vitest"),
  "run",
  ...["--project", `${name}*`, "--reporter=default", "--reporter=json", `--outputFile.json=${output}`],
  // Integration tests spend more time waiting for Redis and for leases than computing.
  ...(name === "integration" ? [`--maxWorkers=${availableParallelism() * 2}`] : []),
  ...files,
];

/** @type {Stage[]} */
const STAGES = [
  {
    name: "lint",
    concurrency: 2,
    commands: [
      [bin("biome"), "check", "--error-on-warnings", "."],
      [process.execPath, "scripts/lint/dependencies.mjs"],
      [process.execPath, "--import", "tsx", "scripts/lint/openapi.mjs"],
      [process.execPath, "scripts/lint/vocabulary.mjs"],
      [process.execPath, "--import", "tsx", "scripts/lint/configuration.mjs"],
      [process.execPath, "scripts/lint/docs.mjs"],
    ],
  },
  {
    name: "types",
    commands: [
      // A fresh clone has no next-env.d.ts, and types of deleted pages would make the check fail.
      [bin("next"), "typegen"],
      [bin("tsc"), "--noEmit"],
    ],
  },
  { name: "unit", commands: [], tests: vitest("unit") },
  // The build precedes the integration tests because the tests of `lockkeeper serve` need the console.
  { name: "build", commands: [[process.execPath, "scripts/setup.mjs", "build"]] },
  { name: "integration", commands: [], tests: vitest("integration"), needs: ["redis"] },
  {
    name: "chaos",
    // Chaos runs spend most of their time waiting, so two of them run at the same time.
    concurrency: 2,
    // Fixed seeds make failures reproducible.
    commands: [
      ["--topology", "single", "--seconds", "20", "--seed", "124"],
      ["--topology", "quorum", "--seconds", "20", "--seed", "5"],
      // With these seeds, the run with Sentinel stops a master and kills a master that is ahead of its replica. The run
      // with a cluster kills a master and moves a slot.
      ["--topology", "sentinel", "--seconds", "20", "--seed", "239"],
      ["--topology", "cluster", "--seconds", "20", "--seed", "3"],
      // The short time is sufficient because no worker is killed. A killed waiter would block the others for 6 s.
      [
        ...["--topology", "sentinel", "--seconds", "11", "--seed", "29", "--locks", "1"],
        ...["--kinds", "fair,read-write,semaphore,plain-semaphore,latch,condition"],
        ...["--faults", "stop-worker,drop-replies,client-kill,script-flush"],
      ],
    ].map((options) => [process.execPath, "--import", "tsx", "test/chaos/main.ts", ...options]),
    needs: ["redis"],
  },
  {
    name: "e2e",
    commands: [],
    tests: (files) => [bin("playwright"), "test", "--reporter=list,json", ...files],
    needs: ["redis", "chromium"],
    after: "build",
  },
];

/** @type {Record<string, string>} */
const env = { NEXT_TELEMETRY_DISABLED: "1" };

/** @param {Stage[]} stages */
async function provide(stages) {
  const needs = new Set(stages.flatMap((stage) => stage.needs ?? []));
  if (needs.has("redis")) {
    const { code } = await runChild(process.execPath, ["--import", "tsx", "scripts/redis.ts"], { cwd: ROOT });
    if (code !== 0) throw new StepError("The tests need a Redis server: see above.");
  }
  if (needs.has("chromium")) {
    env.CHROMIUM_PATH = await findChromium(ROOT);
    console.log(`Chromium (${env.CHROMIUM_PATH})`);
  }
}

/**
 * @param {Command} command
 * @param {{ output?: string, capture?: boolean }} [options] `output`: path of the JSON report of Playwright, which
 * reads the path from the environment
 */
async function run([command, ...args], { output = "", capture = false } = {}) {
  const result = await runChild(command, args, {
    cwd: ROOT,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: output },
    capture,
  });
  if (result.output) console.error(result.output);
  return result.code === 0;
}

/**
 * @param {Pick<Stage, "commands" | "concurrency">} stage
 */
async function runCommands({ commands, concurrency = 1 }) {
  const queue = commands.values();
  let ok = true;
  const work = async () => {
    for (const command of queue) ok = (await run(command, { capture: concurrency > 1 })) && ok;
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return ok;
}

/**
 * @param {Stage} stage
 * @param {boolean} mayRerun
 */
async function runStage({ name, commands, concurrency, tests }, mayRerun) {
  console.log(`\n── ${name} ──`);
  const started = performance.now();
  let ok = await runCommands({ commands, concurrency });
  let counts;
  if (tests) {
    ok = (await run(tests([], report(name)), { output: report(name) })) && ok;
    counts = readCounts(report(name));
    if (!ok && mayRerun) ({ ok, counts } = await rerunFailed({ name, tests }, counts));
  }
  const time = elapsed(started);
  console.log(`${name} ${ok ? "passed" : "FAILED"}, ${time}`);
  return { name, ok, time, counts };
}

/** Test files that failed in this run and passed when they were rerun. @type {string[]} */
const flaky = [];

/**
 * @param {Required<Pick<Stage, "name" | "tests">>} stage
 * @param {import("./steps/counts.mjs").Counts | undefined} counts
 */
async function rerunFailed({ name, tests }, counts) {
  const failed = { ok: false, counts };
  const files = readFailedFiles(report(name), ROOT);
  if (files.length === 0 || counts === undefined) return failed;
  const refusal = refuseRerun([...flaky, ...files]);
  if (refusal !== undefined) {
    console.log(`${refusal}.`);
    return failed;
  }
  const again = report(`${name}-again`);
  if (!(await run(tests(files, again), { output: again }))) return failed;
  for (const file of files) console.log(`flaky: ${file}`);
  flaky.push(...files);
  return { ok: true, counts: { passed: counts.passed + counts.failed, failed: 0 } };
}

/** @typedef {Awaited<ReturnType<typeof runStage>>} Result */

/**
 * @param {Stage[]} stages
 * @param {Result[]} results
 */
function printTable(stages, results) {
  console.log("");
  for (const { name } of stages) {
    const result = results.find((one) => one.name === name);
    const verdict = result ? (result.ok ? "passed" : "FAILED") : "not run";
    const tests = result?.counts ? `${result.counts.passed} passed, ${result.counts.failed} failed` : "";
    console.log(
      `${name.padEnd(12)} ${verdict.padEnd(8)} ${(result?.time ?? "").padStart(7)}   ${tests}`.trimEnd(),
    );
  }
}

/**
 * Checks that the tests for the attacks in SECURITY.md ran and passed, if their stages were selected.
 *
 * @param {Stage[]} stages
 */
function checkAttacks(stages) {
  const testing = stages.filter(({ tests }) => tests).map(({ name }) => name);
  if (testing.length === 0) return 0;
  const results = readTestResults(
    testing.flatMap((name) => [report(name), report(`${name}-again`)]),
    ROOT,
  );
  const { summary, unproven } = judgeAttacks(
    ATTACKS.filter(({ file }) => testing.includes(getStageOf(file))),
    results,
  );
  console.log(`\n${summary}`);
  return unproven;
}

/** @param {string[]} names */
function chooseStages(names) {
  const unknown = names.find((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    throw new StepError(
      `Unknown stage "${unknown}". Stages: ${STAGES.map((stage) => stage.name).join(", ")}.`,
    );
  }
  return names.length === 0 ? STAGES : STAGES.filter((stage) => names.includes(stage.name));
}

async function main() {
  const started = performance.now();
  const args = process.argv.slice(2);
  const stages = chooseStages(args.filter((arg) => arg !== RERUN));
  await provide(stages);
  /** @type {Result[]} */
  const results = [];
  for (const stage of stages) {
    // Skips a stage if the stage that it depends on failed.
    if (results.some(({ name, ok }) => name === stage.after && !ok)) continue;
    results.push(await runStage(stage, args.includes(RERUN)));
  }
  printTable(stages, results);
  const unproven = checkAttacks(stages);
  const { passed, failed: failedTests } = total(results);
  const failed = failedTests + unproven;
  console.log(`${"all".padEnd(21)} ${elapsed(started).padStart(7)}\n`);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error instanceof StepError ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
});
