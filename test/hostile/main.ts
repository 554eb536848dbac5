// npm run hostile: runs the cases. The exit code is 1 if a case failed and 2 if an option is invalid.
import { fileURLToPath } from "node:url";
import { parseCommand, UsageError } from "./arguments.ts";
import { CASES } from "./cases/all.ts";
import type { HostileCase } from "./hostile-case.ts";
import { formatCase, formatTotal } from "./report.ts";
import { type RunOptions, runCases } from "./run-cases.ts";
import { FULL_SIZES, QUICK_SIZES } from "./sizes.ts";
import { formatMs, listFailures, type Measurement } from "./verdict.ts";

const RERUNS_MAX = 2;
const HERE = fileURLToPath(new URL("../..", import.meta.url));

function onBusyMachine(quietP99Ms: number): void {
  const p99 = formatMs(quietP99Ms);
  console.log(
    `The machine is busy: quiet p99 ${p99}. Times of the following cases say little about the server.`,
  );
}

async function runAndPrint(cases: readonly HostileCase[], options: RunOptions): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for await (const measured of runCases(cases, options)) {
    measurements.push(measured);
    console.log(formatCase(measured));
  }
  return measurements;
}

/** Runs failed cases once more, unless more than two failed, which cannot be chance. */
async function rerunFailed(
  cases: readonly HostileCase[],
  measurements: readonly Measurement[],
  options: RunOptions,
): Promise<readonly Measurement[]> {
  const failed = measurements.filter((measured) => listFailures(measured).length > 0).map(({ name }) => name);
  if (failed.length === 0 || failed.length > RERUNS_MAX) return measurements;
  const again = await runAndPrint(
    cases.filter(({ name }) => failed.includes(name)),
    options,
  );
  const passed = again.filter((measured) => listFailures(measured).length === 0);
  for (const { name } of passed) console.log(`flaky: ${name}`);
  return measurements.map((measured) => passed.find(({ name }) => name === measured.name) ?? measured);
}

async function main(): Promise<number> {
  try {
    const names = CASES.map(({ name }) => name);
    const command = parseCommand(process.argv.slice(2), names, HERE);
    const cases = CASES.filter(({ name }) => command.cases.includes(name));
    if (command.list) {
      for (const { name, finding } of cases) console.log(`${name} (${finding})`);
      return 0;
    }
    if (process.platform !== "linux")
      throw new UsageError(
        "The harness needs Linux: it limits and measures memory with ulimit -v and /proc.",
      );
    const sizes = command.quick ? QUICK_SIZES : FULL_SIZES;
    const options = { checkout: command.checkout, sizes, onBusyMachine };
    const measurements = await runAndPrint(cases, options);
    const total = formatTotal(
      command.rerunFailed ? await rerunFailed(cases, measurements, options) : measurements,
    );
    console.log(`\n${total}`);
    return total.endsWith(" 0 failed") ? 0 : 1;
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : error);
    return error instanceof UsageError ? 2 : 1;
  }
}

const code = await main();
process.stdout.write("", () => process.exit(code));
