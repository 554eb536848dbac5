/**
 * Runs the suites for locks, formats and watch on every supported version of Redis and Valkey.
 * `npm run matrix [-- SERVER…] [--quick] [--allow-skipped] [--rerun-failed] [--workers N]`
 *
 * Installs the servers into `.cache/redis-versions`, without root. Prints a line for each server, then a table. The
 * last line is "N passed, N failed". An unavailable server counts as failed unless `--allow-skipped` excludes it from
 * the counts. With `--rerun-failed`, each failed test file outside the lock core runs once more and is reported as
 * `flaky: <file>`.
 */
import { parseArgs } from "node:util";
import { endAll, endWhenInterrupted, isEnding } from "../test/interop/children.ts";
import { formatReason, Skip } from "../test/interop/skip.ts";
import { type ProvidedServer, provideServer } from "./matrix/provide-server.ts";
import { countServers, formatOutcome, formatTable, type ServerResult } from "./matrix/report.ts";
import { runSuites, type SuitesResult } from "./matrix/run-suites.ts";
import { type MatrixServer, SERVERS } from "./matrix/servers.ts";
import { listSuites } from "./matrix/suites.ts";
import { refuseRerun } from "./steps/flaky.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    "allow-skipped": { type: "boolean", default: false },
    "rerun-failed": { type: "boolean", default: false },
    workers: { type: "string" },
  },
});

function chooseServers(): readonly MatrixServer[] {
  const unknown = positionals.find((name) => !SERVERS.some((server) => server.name === name));
  if (unknown !== undefined) {
    console.error(`Unknown server "${unknown}". Servers: ${SERVERS.map(({ name }) => name).join(", ")}.`);
    process.exit(1);
  }
  return positionals.length === 0 ? SERVERS : SERVERS.filter(({ name }) => positionals.includes(name));
}

async function runServer(server: MatrixServer): Promise<ServerResult> {
  const { name, variant } = server;
  const startedAt = performance.now();
  try {
    const provided = await provideServer(server);
    const suites = listSuites(variant, values.quick ? "quick" : "full");
    const workers = values.workers === undefined ? undefined : Number(values.workers);
    const first = await runSuites(provided, suites, workers);
    if (first.failed > 0 && !isEnding()) {
      console.error(first.output);
      for (const test of first.failedTests) console.log(`  failed: ${test}`);
    }
    const result = values["rerun-failed"] ? await rerunFailed(provided, first) : first;
    const { passed, failed, skipped } = result;
    const outcome = failed === 0 ? "passed" : "failed";
    const seconds = (performance.now() - startedAt) / 1000;
    return { outcome, name, version: provided.version, passed, failed, skipped, seconds };
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    return { outcome: "skipped", name, reason: formatReason(error) };
  }
}

/** Test files that failed on a server and passed when they were rerun. */
const flaky: string[] = [];

async function rerunFailed(provided: ProvidedServer, first: SuitesResult): Promise<SuitesResult> {
  const { failedFiles } = first;
  if (first.failed === 0 || failedFiles.length === 0 || isEnding()) return first;
  const refusal = refuseRerun([...flaky, ...failedFiles]);
  if (refusal !== undefined) {
    console.log(`${refusal}.`);
    return first;
  }
  const again = await runSuites(provided, failedFiles, 1);
  if (again.failed > 0) return first;
  for (const file of failedFiles) console.log(`flaky: ${file}`);
  flaky.push(...failedFiles);
  return { ...first, passed: first.passed + first.failed, failed: 0 };
}

endWhenInterrupted();
const results: ServerResult[] = [];
for (const server of chooseServers()) {
  const result = await runServer(server);
  if (isEnding()) await new Promise(() => undefined);
  console.log(formatOutcome(result));
  results.push(result);
}
await endAll();
const { passed, failed } = countServers(results, values["allow-skipped"] ? "allowed" : "fails");
console.log(`\n${formatTable(results)}\n\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
