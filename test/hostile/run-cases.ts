import { computePercentile } from "../bench/statistics.ts";
import { Client } from "./client/client.ts";
import type { HostileCase } from "./hostile-case.ts";
import { runCase } from "./run-case.ts";
import { type Environment, startEnvironment } from "./servers/environment.ts";
import type { Sizes } from "./sizes.ts";
import { listFailures, type Measurement } from "./verdict.ts";

const QUIET: HostileCase = { name: "quiet", finding: "none" };
const QUIET_RUNS_MIN = 2;
const QUIET_RUNS_MAX = 4;
const QUIET_P99_MS_MAX = 50;

export interface RunOptions {
  readonly checkout: string;
  readonly sizes: Sizes;
  /** Called if acquires are slow even without an attack, so that time limits mean little. */
  readonly onBusyMachine: (quietP99Ms: number) => void;
}

/**
 * Runs the cases one after the other on the same servers. After a failed case, both servers are restarted, so that the
 * failure does not affect the next case.
 */
export async function* runCases(
  cases: readonly HostileCase[],
  { checkout, sizes, onBusyMachine }: RunOptions,
): AsyncGenerator<Measurement> {
  const client = await Client.start();
  let environment: Environment | undefined;
  try {
    let quietP99Ms = 0;
    for (const hostile of cases) {
      if (environment === undefined) {
        environment = await startEnvironment(checkout);
        quietP99Ms = await measureQuietP99(environment, client, sizes);
        if (quietP99Ms > QUIET_P99_MS_MAX) onBusyMachine(quietP99Ms);
      }
      const measured = await runCase(hostile, { environment, client, sizes, quietP99Ms });
      const faults = listFailures(measured).length === 0 ? await tryToClear(environment) : [];
      yield { ...measured, faults: [...measured.faults, ...faults] };
      if (listFailures(measured).length + faults.length > 0) {
        await environment.stop();
        environment = undefined;
      }
    }
  } finally {
    await environment?.stop();
    await client.stop();
  }
}

/**
 * Measures the p99 of acquires without an attack, in ms. The first run lets the JIT compilers of both processes finish.
 * A slow run would widen the limits of all cases, so slow runs are repeated, and the fastest run counts.
 */
async function measureQuietP99(environment: Environment, client: Client, sizes: Sizes): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < QUIET_RUNS_MAX && (run < QUIET_RUNS_MIN || best > QUIET_P99_MS_MAX); run++) {
    const quiet = await runCase(QUIET, { environment, client, sizes, quietP99Ms: Number.POSITIVE_INFINITY });
    const faults = [...quiet.faults, ...Object.keys(quiet.client?.failures ?? {})];
    if (faults.length > 0) throw new Error(`Without any attack: ${faults.join("; ")}`);
    best = Math.min(best, computePercentile(quiet.client?.acquireMs ?? [], 0.99));
  }
  return best;
}

async function tryToClear(environment: Environment): Promise<string[]> {
  try {
    await environment.clear();
    return [];
  } catch (error) {
    return [`after the case: ${error instanceof Error ? error.message : error}`];
  }
}
