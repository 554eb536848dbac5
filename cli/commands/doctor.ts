import type { Command } from "commander";
import { type Finding, TargetHealth, TargetList } from "../../lib/contract/target.ts";
import { DEFAULT_LOCKABLE_PATTERNS, DEFAULT_WATCH_PATTERNS } from "../../server/config/config-file.ts";
import { collectFindings } from "../../server/health/findings.ts";
import { readTargetFacts } from "../../server/health/target-health.ts";
import { formatLocation } from "../../server/targets/probe-target.ts";
import {
  addServerOptions,
  chooseConnection,
  parseServerUrl,
  type RedisConnection,
  type RedisOption,
  type ServerConnection,
  type ServerOptions,
} from "../connection/choose-connection.ts";
import { openDirectWatch } from "../connection/direct-watch.ts";
import { ServerApi } from "../connection/server-api.ts";
import { readServerState, type ServerState } from "../connection/server-state.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { formatFindings, hasSeriousFinding } from "../output/findings.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";
import { formatProgress } from "./locks-source.ts";

const HELP = `
Of a Redis: reads its settings and state, and prints what makes it unsafe for locks, with the command that fixes it.
Nothing is written; --check-writes also tries the commands that locking needs, on keys that do not exist.
Of a Lockkeeper server: its health, readiness and version, and with an API key the findings of its targets.

Exits with 1 if a finding is serious (danger), or the server is not ready.

Examples:
  $ lockkeeper doctor redis://redis-1:6379
  $ lockkeeper doctor 'redis-sentinel://sentinel-1:26379,sentinel-2:26379/0?master=shop' --json
  $ lockkeeper doctor https://locks.example.com`;

interface DoctorOptions extends ServerOptions {
  readonly checkWrites?: true;
  readonly match?: readonly string[];
  readonly json?: true;
}

/** What `doctor` found at one target. */
interface Diagnosis {
  readonly target: string;
  readonly server: string | null;
  readonly state: string;
  readonly findings: readonly Finding[];
}

/** `lockkeeper doctor`: checks a Redis or a server. */
export function addDoctorCommand(program: Command, context: CliContext): void {
  const command = program
    .command("doctor")
    .description("Check a Redis, or a Lockkeeper server, for risks to locks.")
    .argument("[url]", "URL of a Redis or of a server (default: LOCKKEEPER_URL, or REDIS_URL)");
  addServerOptions(command)
    .option("--check-writes", "also check the permissions that locking needs")
    .option("--match <pattern...>", "patterns of the keys to read (default: LOCKKEEPER_WATCH)")
    .option("--json", "print one target a line, as JSON")
    .addHelpText("after", HELP)
    .action(async (url: string | undefined, options: DoctorOptions) => {
      const connection = chooseConnection({ ...options, ...toOption(url) }, context.environment);
      const isHealthy =
        connection.kind === "redis"
          ? await checkRedis(connection, options, context)
          : await checkServer(connection, options, context);
      if (!isHealthy) context.setExitCode(EXIT_CODES.negative);
    });
}

function toOption(url: string | undefined): ServerOptions & RedisOption {
  if (url === undefined) return {};
  return /^https?:/.test(url) ? { server: parseServerUrl(url) } : { redis: url };
}

async function checkRedis(
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

async function checkServer(
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
