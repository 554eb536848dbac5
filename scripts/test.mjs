// npm test                        every stage, stopping at the first that fails
// npm test -- unit integration    only the named ones
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild, StepError } from "./steps/child.mjs";
import { findChromium } from "./steps/chromium.mjs";
import { readCounts, total } from "./steps/counts.mjs";
import { elapsed } from "./steps/progress.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "lockkeeper-test-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {[command: string, ...args: string[]][]} commands
 * @property {("redis" | "chromium")[]} [needs]
 * @property {boolean} [counted] its commands write a JSON report
 */

/** @param {string} name */
const bin = (name) => join(ROOT, "node_modules/.bin", name);
/** @param {string} name */
const report = (name) => join(reports, `${name}.json`);

/**
 * @param {"unit" | "integration"} name
 * @returns {Stage["commands"]}
 */
const vitest = (name) => [
  [
    bin("vitest"),
    "run",
    "--project",
    name,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report(name)}`,
    // Integration tests wait for Redis and for leases more than they compute. They are of real processes, clusters and
    // failovers on whatever machine this is: one that fails is run once more, and the report says so.
    ...(name === "integration" ? [`--maxWorkers=${availableParallelism() + 1}`, "--retry=1"] : []),
  ],
];

/** @type {Stage[]} */
const STAGES = [
  { name: "lint", commands: [[bin("biome"), "check", "--error-on-warnings", "."]] },
  {
    name: "types",
    commands: [
      // A fresh clone has no next-env.d.ts, and types of pages that are gone would fail the check.
      [bin("next"), "typegen"],
      [bin("tsc"), "--noEmit"],
    ],
  },
  { name: "unit", commands: vitest("unit"), counted: true },
  { name: "integration", commands: vitest("integration"), counted: true, needs: ["redis"] },
  {
    name: "chaos",
    // The seeds are fixed, so that a failure is one of the core and not of the day's luck with faults.
    commands: [
      ["--topology", "single", "--seconds", "20", "--seed", "124"],
      ["--topology", "quorum", "--seconds", "20", "--seed", "5"],
      // A master is stopped and one is killed while it is ahead; and one is killed so and a slot is moved.
      ["--topology", "sentinel", "--seconds", "20", "--seed", "239"],
      ["--topology", "cluster", "--seconds", "20", "--seed", "3"],
    ].map((options) => [process.execPath, "--import", "tsx", "test/chaos/main.ts", ...options]),
    needs: ["redis"],
  },
  { name: "build", commands: [[process.execPath, "scripts/setup.mjs", "build"]] },
  {
    name: "e2e",
    commands: [[bin("playwright"), "test", "--reporter=list,json"]],
    counted: true,
    needs: ["redis", "chromium"],
  },
];

/** @type {Record<string, string>} */
const env = { NEXT_TELEMETRY_DISABLED: "1", PLAYWRIGHT_JSON_OUTPUT_FILE: report("e2e") };

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

/** @param {Stage} stage */
async function runStage(stage) {
  console.log(`\n── ${stage.name} ──`);
  const started = performance.now();
  let ok = true;
  for (const [command, ...args] of stage.commands) {
    const { code, output } = await runChild(command, args, { cwd: ROOT, env });
    if (output) console.error(output);
    ok = code === 0;
    if (!ok) break;
  }
  const time = elapsed(started);
  console.log(`${stage.name} ${ok ? "passed" : "FAILED"}, ${time}`);
  return { name: stage.name, ok, time, counts: stage.counted ? readCounts(report(stage.name)) : undefined };
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

/** @param {string[]} names */
function chosenStages(names) {
  const unknown = names.find((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    throw new StepError(`There is no stage "${unknown}": ${STAGES.map((stage) => stage.name).join(", ")}.`);
  }
  return names.length === 0 ? STAGES : STAGES.filter((stage) => names.includes(stage.name));
}

async function main() {
  const started = performance.now();
  const stages = chosenStages(process.argv.slice(2));
  await provide(stages);
  /** @type {Result[]} */
  const results = [];
  for (const stage of stages) {
    const result = await runStage(stage);
    results.push(result);
    if (!result.ok) break;
  }
  printTable(stages, results);
  const { passed, failed } = total(results);
  console.log(`${"all".padEnd(21)} ${elapsed(started).padStart(7)}\n`);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error instanceof StepError ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
});
