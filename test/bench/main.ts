// npm run bench -- [group …] [--only FIGURE …] [--quick]: one JSON object a line on standard output, the same as a table
// on standard error. A full run keeps both in bench-results/.
import { mkdirSync, writeFileSync } from "node:fs";
import { type Request, requestOf, UsageError } from "./arguments.ts";
import { core } from "./core/core.ts";
import type { Experiment, Line } from "./figure.ts";
import { http } from "./http/http.ts";
import { progress } from "./progress.ts";
import { Resources } from "./resources.ts";
import { tableOf } from "./table.ts";
import { ui } from "./ui/ui.ts";
import { watch } from "./watch/watch.ts";

const EXPERIMENTS: readonly Experiment[] = [...core, ...http, ...watch, ...ui];

const RESULTS = new URL("../../bench-results/", import.meta.url);

let resources = new Resources();
let interrupted = false;

async function measureAll({ effort, figures }: Request): Promise<readonly Line[]> {
  const printed: Line[] = [];
  for (const experiment of EXPERIMENTS) {
    const wanted = experiment.figures.filter((figure) => figures.includes(figure));
    if (wanted.length === 0) continue;
    progress(`── ${wanted.join(", ")} ──`);
    resources = new Resources();
    const started = performance.now();
    try {
      const lines = await experiment.measure({ effort, wanted, later: (end) => resources.later(end) });
      for (const line of lines.filter(({ figure }) => wanted.includes(figure))) {
        console.log(JSON.stringify(line));
        printed.push(line);
      }
    } finally {
      await resources.end();
    }
    progress(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  return printed;
}

function report(lines: readonly Line[], { effort }: Request): void {
  const table = tableOf(lines);
  progress(`\n${table}`);
  if (effort === "quick") return;
  mkdirSync(RESULTS, { recursive: true });
  const name = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  writeFileSync(new URL(`${name}.md`, RESULTS), `${table}\n`);
  const json = lines.map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(new URL(`${name}.jsonl`, RESULTS), json.join(""));
  progress(`Kept in bench-results/${name}.md`);
}

async function main(): Promise<number> {
  try {
    const known = EXPERIMENTS.flatMap(({ figures }) => figures);
    const onDemand = EXPERIMENTS.flatMap(({ figures, isOnDemand }) => (isOnDemand ? figures : []));
    const request = requestOf(process.argv.slice(2), known, onDemand);
    report(await measureAll(request), request);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    // What fails because everything was ended under it says nothing.
    if (!interrupted) progress(isUsage || !(error instanceof Error) ? String(error) : String(error.stack));
    return isUsage ? 2 : 1;
  }
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
