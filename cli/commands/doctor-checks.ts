import { type Finding, TargetHealth, TargetList } from "../../lib/contract/target.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "../../server/config/config-file.ts";
import { collectFindings } from "../../server/health/findings.ts";
import { readTargetFacts } from "../../server/health/target-health.ts";
import { formatLocation } from "../../server/targets/probe-target.ts";
import type { RedisConnection, ServerConnection, ServerOptions } from "../connection/choose-connection.ts";
import { openDirectWatch } from "../connection/direct-watch.ts";
import { ServerApi } from "../connection/server-api.ts";
import { readServerState, type ServerState } from "../connection/server-state.ts";
import { formatFindings, hasSeriousFinding } from "../output/findings.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";
import { formatProgress } from "./direct-source.ts";

export interface DoctorOptions extends ServerOptions {
  readonly checkWrites?: true;
  readonly match?: readonly string[];
  readonly json?: true;
}

/** The findings of `doctor` for one target. */
interface Diagnosis {
  readonly target: string;
  readonly server: string | null;
  readonly state: string;
  readonly findings: readonly Finding[];
}

/**
 * Checks a Redis deployment and prints the findings.
 *
 * @returns `true` if no finding is serious
 * @throws CliError if Redis cannot be reached or does not support locks, or if too few masters respond
 */
export async function checkRedis(
  connection: RedisConnection,
  options: DoctorOptions,
  context: CliContext,
): Promise<boolean> {
  const { terminal, environment } = context;
  const watch = options.match ??
    environment.watch ?? [...DEFAULT_WATCH_PATTERNS, ...DEFAULT_LOCKABLE_PATTERNS];
  const direct = await openDirectWatch(connection, {
    watch,
    lockable: DEFAULT_LOCKABLE_PATTERNS,
    onProgress: (health) => terminal.showProgress(formatProgress(health)),
  });
  terminal.clearProgress();
  try {
    const readOnly = options.checkWrites !== true;
    const policy = { watch, lockable: DEFAULT_LOCKABLE_PATTERNS, readOnly, notifications: "off" as const };
    const facts = await readTargetFacts({ where: connection.where, policy }, direct);
    const { state } = direct.watcher.health();
    const target = formatLocation(connection.where);
    return printDiagnosis(
      { target, server: direct.server, state, findings: collectFindings(facts) },
      options,
      context,
    );
  } finally {
    direct.close();
  }
}

/**
 * Checks a server and, if an API key is set, its targets. Prints the results.
 *
 * @returns `true` if the server is ready and no finding is serious
 * @throws CliError if the server cannot be reached, is not a Lockkeeper server, or refuses a request
 */
export async function checkServer(
  connection: ServerConnection,
  options: DoctorOptions,
  context: CliContext,
): Promise<boolean> {
  const state = await readServerState(connection.url);
  if (!options.json) context.writeOut(formatServerState(connection.url, state, context));
  const isReady = state.readiness === "ready";
  if (connection.apiKey === undefined) {
    if (options.json) context.writeOut(`${JSON.stringify({ server: connection.url, ...state })}\n`);
    else context.writeError("Set LOCKKEEPER_API_KEY to check the targets of the server.\n");
    return isReady;
  }
  const api = new ServerApi(connection, context.version);
  const names = connection.target === undefined ? await listTargets(api) : [connection.target];
  let isHealthy = isReady;
  for (const name of names) {
    const { target, findings } = await readTarget(api, name);
    const diagnosis = { target: target.name, server: target.server, state: target.state, findings };
    isHealthy = printDiagnosis(diagnosis, options, context) && isHealthy;
  }
  return isHealthy;
}

async function listTargets(api: ServerApi): Promise<string[]> {
  const { items } = await api.read({ path: "/targets", route: "/targets", schema: TargetList });
  return items.map(({ name }) => name);
}

async function readTarget(api: ServerApi, name: string): Promise<TargetHealth> {
  return await api.read({
    path: `/targets/${encodeURIComponent(name)}`,
    route: "/targets/{name}",
    schema: TargetHealth,
  });
}

function formatServerState(
  url: string,
  { version, readiness, warnings }: ServerState,
  { terminal: { style }, version: ownVersion }: CliContext,
): string {
  const state = readiness === "ready" ? style.green(readiness) : style.red(toPrintable(readiness));
  const older = version === ownVersion ? "" : ` (this command line: ${ownVersion})`;
  return [
    `${style.bold(url)}: Lockkeeper ${toPrintable(version)}${older}, ${state}\n`,
    ...warnings.map((warning) => `${style.yellow("warning")}  ${toPrintable(warning)}\n`),
  ].join("");
}

/** Prints the findings of a target. @returns whether none is serious */
function printDiagnosis(diagnosis: Diagnosis, { json }: DoctorOptions, context: CliContext): boolean {
  const { target, server, state, findings } = diagnosis;
  const { style } = context.terminal;
  if (json) context.writeOut(`${JSON.stringify(diagnosis)}\n`);
  else {
    const title = style.bold(toPrintable(target));
    context.writeOut(`${title}: ${toPrintable(server ?? "never reached")}, ${state}\n`);
    context.writeOut(formatFindings(findings, style));
  }
  return !hasSeriousFinding(findings);
}
