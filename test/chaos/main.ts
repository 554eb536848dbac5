// npm run chaos -- --topology single|quorum --seconds N --seed S …: runs workers and faults against new servers and
// checks the history. The exit code is 1 after a violation, 2 for an invalid option, and 3 if a check could not decide.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAll } from "../interop/children.ts";
import { type Command, formatCommand, parseCommand, UsageError } from "./arguments.ts";
import { runChecks } from "./checks/all.ts";
import { analyzeHistory } from "./history/analyzed-history.ts";
import type { Entry } from "./history/entry.ts";
import { writeHistory } from "./history/read.ts";
import { MUTANTS, THE_TEN } from "./mutants/known.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { type MutantResult, runMutant } from "./mutants/run-mutant.ts";
import { formatVerdicts, formatViolation, getRunResult } from "./report/text.ts";
import { renderTimeline } from "./report/timeline.ts";
import { Resources } from "./resources.ts";
import { PROJECT, run } from "./run.ts";
import { findClockLibrary } from "./servers/clock-library.ts";

const resources = new Resources();
let interrupted = false;

async function main(): Promise<number> {
  try {
    const command = parseCommand(process.argv.slice(2));
    const folder = command.out ?? join(PROJECT, "chaos-results", `${command.topology}-${command.seed}`);
    if (command.mutants !== undefined) return await runMutants(command.mutants, command);
    console.log(formatCommand(command));
    const library = await findClockLibrary(command);
    const entries = await run({ ...command, core: PROJECT, folder, library }, resources);
    return report(command, entries, folder);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    // Errors after an interruption are expected.
    if (!interrupted) console.error(isUsage ? error.message : error);
    return isUsage ? 2 : 1;
  } finally {
    await resources.end();
    await endAll();
  }
}

async function runMutants(names: readonly string[], { seed, out }: Command): Promise<number> {
  const folder = out ?? join(PROJECT, "chaos-results", "mutants");
  const chosen = MUTANTS.filter(({ name }) => names.includes(name));
  const ten = chosen.filter((mutant) => THE_TEN.includes(mutant));
  const caught = new Set<Mutant>();
  const leftOut = new Set<Mutant>();
  for (const mutant of chosen) {
    const startedAt = performance.now();
    try {
      const library = await findClockLibrary({ faults: mutant.run.faults ?? [], chosen: "by_name" });
      const found = await runMutant(mutant, seed, folder, resources, library);
      if (found.example !== undefined) caught.add(mutant);
      const tookS = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`${mutant.name}: ${mutant.wrong}\n${formatMutantResult(found, tookS)}\n`);
    } catch (error) {
      if (interrupted) throw error;
      if (error instanceof UsageError) leftOut.add(mutant);
      const what = error instanceof UsageError ? "left out" : "COULD NOT BE RUN";
      console.log(`${mutant.name}: ${what}, ${error instanceof Error ? error.message : error}\n`);
    }
  }
  const more = chosen.filter((mutant) => !THE_TEN.includes(mutant));
  for (const [list, what] of [
    [more, "more "],
    [ten, ""],
  ] as const) {
    if (list.length > 0) console.log(formatCount(list, caught, leftOut, what));
  }
  return caught.size > 0 && caught.size + leftOut.size === chosen.length ? 0 : 1;
}

function formatCount(
  list: readonly Mutant[],
  caught: Set<Mutant>,
  leftOut: Set<Mutant>,
  what: string,
): string {
  const inList = (set: Set<Mutant>) => list.filter((mutant) => set.has(mutant)).length;
  const without = inList(leftOut) === 0 ? "" : `, ${inList(leftOut)} left out`;
  return `${inList(caught)} of ${list.length} ${what}caught${without}`;
}

function formatMutantResult({ mutant, checks, example, request }: MutantResult, tookS: string): string {
  const again = `npm run chaos -- --mutants ${mutant.name} --seed ${request.seed}`;
  if (example === undefined) {
    const said = checks.length === 0 ? "no check said anything" : `others said: ${checks.join(", ")}`;
    return `  GOT AWAY from ${mutant.noticedBy.join(", ")} in ${tookS} s; ${said}; again: ${again}`;
  }
  return `  caught by ${checks.join(", ")} in ${tookS} s\n  ${formatViolation(example, again)}`;
}

function report(command: Command, entries: readonly Entry[], folder: string): number {
  const history = analyzeHistory(entries);
  const verdicts = runChecks(history);
  writeHistory(join(folder, "history.jsonl"), entries);
  console.log(formatVerdicts(verdicts, formatCommand(command)));
  writeFileSync(join(folder, "timeline.html"), renderTimeline(history, verdicts, formatCommand(command)));
  console.log(
    `\n${entries.length} entries, ${history.faults.length} faults: ${join(folder, "timeline.html")}`,
  );
  const ending = getRunResult(verdicts, formatCommand(command));
  console.log(ending.line);
  return ending.code;
}

function endOn(signal: NodeJS.Signals, code: number): void {
  process.once(signal, async () => {
    interrupted = true;
    await resources.end();
    process.exit(code);
  });
}

endOn("SIGINT", 130);
endOn("SIGTERM", 143);
endOn("SIGHUP", 129);
const code = await main();
if (!interrupted) process.stdout.write("", () => process.exit(code));
