// npm run bench: measures figures and prints one JSON object per line on standard output. Progress and a table are
// printed on standard error. A full run also stores both in bench-results/. The options are documented in
// docs/benchmarks.md.
import { parseRequest, type Request, UsageError } from "./arguments.ts";
import { startComparison } from "./compare/compare.ts";
import { EXPERIMENTS, FIGURES, ON_DEMAND } from "./experiments.ts";
import { formatFailure } from "./figure.ts";
import { reportProgress } from "./progress.ts";
import { keepResults } from "./results.ts";
import { Session } from "./session.ts";
import { formatTable } from "./table.ts";

const ORPHAN_CHECK_MS = 500;

let endAll: () => Promise<void> = async () => undefined;
let isInterrupted = false;

/** Measures the requested figures and returns whether all of them have a value. */
async function measureAll(request: Request): Promise<boolean> {
  const session = new Session(request.effort, {
    onLine: (line) => console.log(JSON.stringify(line)),
    onFailure: (failure, error) => {
      console.log(JSON.stringify(failure));
      reportProgress(formatFailure(failure));
      if (error instanceof Error) reportProgress(String(error.stack));
    },
  });
  endAll = () => session.end();
  // An error that no experiment catches ends the running experiment but not the run.
  process.on("uncaughtException", (error) => session.abort(error));
  process.on("unhandledRejection", (error) => session.abort(error));
  for (const experiment of EXPERIMENTS) {
    const wanted = experiment.figures.filter((figure) => request.figures.includes(figure));
    if (wanted.length === 0 || isInterrupted) continue;
    reportProgress(`── ${wanted.join(", ")} ──`);
    const started = performance.now();
    await session.measure(experiment, wanted);
    reportProgress(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  if (!request.json && !isInterrupted) report(session, request);
  return session.failures.length === 0;
}

function report({ lines, failures }: Session, { effort }: Request): void {
  const table = formatTable(lines, failures);
  reportProgress(`\n${table}`);
  if (effort === "full") keepResults({ table, lines: [...lines, ...failures] });
}

function listAll({ figures }: Request): boolean {
  for (const figure of figures) {
    console.log(JSON.stringify({ figure, isOnDemand: ON_DEMAND.includes(figure) }));
  }
  return true;
}

async function main(): Promise<number> {
  try {
    const request = parseRequest(process.argv.slice(2), FIGURES, ON_DEMAND);
    if (request.list) return listAll(request) ? 0 : 1;
    if (request.comparison === undefined) return (await measureAll(request)) ? 0 : 1;
    const running = startComparison(request.comparison, request, EXPERIMENTS);
    endAll = running.end;
    return (await running.done) ? 0 : 1;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    // After an interruption, errors are expected and not reported.
    if (!isInterrupted)
      reportProgress(isUsage || !(error instanceof Error) ? String(error) : String(error.stack));
    return isUsage ? 2 : 1;
  }
}

async function interrupt(code: number): Promise<void> {
  if (isInterrupted) return;
  isInterrupted = true;
  await endAll();
  process.exit(code);
}

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => void interrupt(code));
// npm forwards signals to its shell, and not every shell forwards them to this process. If the shell exits, this
// process gets a new parent, which counts as an interruption.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (process.ppid !== parent) void interrupt(SIGNALS.SIGTERM);
  }, ORPHAN_CHECK_MS).unref();
}
const code = await main();
if (!isInterrupted) process.stdout.write("", () => process.exit(code));
