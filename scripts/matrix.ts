/**
 * Runs the suites of locks, formats and watch on every supported Redis and Valkey.
 * `npm run matrix [-- SERVER…] [--quick] [--allow-skipped] [--workers N]`
 *
 * Installs the servers into `.cache/redis-versions`, without root. Prints a line for each server, then a table; the last
 * line is "N passed, N failed". A server that is not available counts as failed, or as neither with `--allow-skipped`.
 */
import { parseArgs } from "node:util";
import { endAll, endWhenInterrupted, isEnding } from "../test/interop/children.ts";
import { formatReason, Skip } from "../test/interop/skip.ts";
import { provideServer } from "./matrix/provide-server.ts";
import { countServers, formatOutcome, formatTable, type ServerResult } from "./matrix/report.ts";
import { runSuites } from "./matrix/run-suites.ts";
import { type MatrixServer, SERVERS } from "./matrix/servers.ts";
import { listSuites } from "./matrix/suites.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    "allow-skipped": { type: "boolean", default: false },
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
    const { passed, failed, skipped, failedTests, output } = await runSuites(provided, suites, workers);
    if (failed > 0 && !isEnding()) {
      console.error(output);
      for (const test of failedTests) console.log(`  failed: ${test}`);
    }
    const outcome = failed === 0 ? "passed" : "failed";
    const seconds = (performance.now() - startedAt) / 1000;
    return { outcome, name, version: provided.version, passed, failed, skipped, seconds };
  } catch (error) {
    if (!(error instanceof Skip)) throw error;
    return { outcome: "skipped", name, reason: formatReason(error) };
  }
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
