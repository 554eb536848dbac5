// npm run chaos -- --topology single|quorum --seconds N --seed S …: exit code 1 on a violation, 2 on a wrong option,
// 3 where a check could not decide.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endAll } from "../interop/children.ts";
import { type Command, commandOf, textOf, UsageError } from "./arguments.ts";
import { judge } from "./checks/all.ts";
import type { Entry } from "./history/entry.ts";
import { writeHistory } from "./history/read.ts";
import { storyOf } from "./history/story.ts";
import { type Catch, hunt } from "./mutants/hunt.ts";
import { MUTANTS, THE_TEN } from "./mutants/known.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { endingOf, textOfVerdicts, textOfViolation } from "./report/text.ts";
import { timelineOf } from "./report/timeline.ts";
import { Resources } from "./resources.ts";
import { PROJECT, run } from "./run.ts";
import { clockLibrary } from "./servers/clock-library.ts";

const resources = new Resources();
let interrupted = false;

async function main(): Promise<number> {
  try {
    const command = commandOf(process.argv.slice(2));
    const folder = command.out ?? join(PROJECT, "chaos-results", `${command.topology}-${command.seed}`);
    if (command.mutants !== undefined) return await huntAll(command.mutants, command);
    console.log(textOf(command));
    const library = await clockLibrary(command);
    const history = await run({ ...command, core: PROJECT, folder, library }, resources);
    return report(command, history, folder);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    // What fails because everything was ended under it says nothing.
    if (!interrupted) console.error(isUsage ? error.message : error);
    return isUsage ? 2 : 1;
  } finally {
    await resources.end();
    await endAll();
  }
}

async function huntAll(names: readonly string[], { seed, out }: Command): Promise<number> {
  const folder = out ?? join(PROJECT, "chaos-results", "mutants");
  const chosen = MUTANTS.filter(({ name }) => names.includes(name));
  const ten = chosen.filter((mutant) => THE_TEN.includes(mutant));
  const caught = new Set<Mutant>();
  const leftOut = new Set<Mutant>();
  for (const mutant of chosen) {
    const startedAt = performance.now();
    try {
      const library = await clockLibrary({ faults: mutant.run.faults ?? [], chosen: "by_name" });
      const found = await hunt(mutant, seed, folder, resources, library);
      if (found.example !== undefined) caught.add(mutant);
      const tookS = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(`${mutant.name}: ${mutant.wrong}\n${textOfCatch(found, tookS)}\n`);
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
    if (list.length > 0) console.log(countText(list, caught, leftOut, what));
  }
  return caught.size > 0 && caught.size + leftOut.size === chosen.length ? 0 : 1;
}

function countText(list: readonly Mutant[], caught: Set<Mutant>, leftOut: Set<Mutant>, what: string): string {
  const inList = (set: Set<Mutant>) => list.filter((mutant) => set.has(mutant)).length;
  const without = inList(leftOut) === 0 ? "" : `, ${inList(leftOut)} left out`;
  return `${inList(caught)} of ${list.length} ${what}caught${without}`;
}

function textOfCatch({ mutant, checks, example, request }: Catch, tookS: string): string {
  const again = `npm run chaos -- --mutants ${mutant.name} --seed ${request.seed}`;
  if (example === undefined) {
    const said = checks.length === 0 ? "no check said anything" : `others said: ${checks.join(", ")}`;
    return `  GOT AWAY from ${mutant.noticedBy.join(", ")} in ${tookS} s; ${said}; again: ${again}`;
  }
  return `  caught by ${checks.join(", ")} in ${tookS} s\n  ${textOfViolation(example, again)}`;
}

function report(command: Command, history: readonly Entry[], folder: string): number {
  const story = storyOf(history);
  const verdicts = judge(story);
  writeHistory(join(folder, "history.jsonl"), history);
  console.log(textOfVerdicts(verdicts, textOf(command)));
  writeFileSync(join(folder, "timeline.html"), timelineOf(story, verdicts, textOf(command)));
  console.log(`\n${history.length} entries, ${story.faults.length} faults: ${join(folder, "timeline.html")}`);
  const ending = endingOf(verdicts, textOf(command));
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
