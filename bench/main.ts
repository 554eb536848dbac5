// npm run bench -- [group …] [--only FIGURE …] [--quick]: one JSON object a line on standard output.
import { type Request, requestOf, UsageError } from "./arguments.ts";
import { core } from "./core/core.ts";
import type { Experiment } from "./figure.ts";
import { progress } from "./progress.ts";
import { Resources } from "./resources.ts";

const EXPERIMENTS: readonly Experiment[] = [...core];

let resources = new Resources();
let interrupted = false;

async function measureAll({ effort, figures }: Request): Promise<void> {
  for (const experiment of EXPERIMENTS) {
    const wanted = experiment.figures.filter((figure) => figures.includes(figure));
    if (wanted.length === 0) continue;
    progress(`── ${wanted.join(", ")} ──`);
    resources = new Resources();
    const started = performance.now();
    try {
      const lines = await experiment.measure({ effort, later: (end) => resources.later(end) });
      for (const line of lines) if (wanted.includes(line.figure)) console.log(JSON.stringify(line));
    } finally {
      await resources.end();
    }
    progress(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

async function main(): Promise<number> {
  try {
    const known = EXPERIMENTS.flatMap(({ figures }) => figures);
    await measureAll(requestOf(process.argv.slice(2), known));
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
