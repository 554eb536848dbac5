import { type Command, InvalidArgumentError } from "commander";
import type { Config } from "../../server/config/config.ts";
import { LockkeeperError } from "../../server/errors/lockkeeper-error.ts";
import { StartupError } from "../../server/errors/startup-error.ts";
import { serve } from "../../server/serve.ts";
import { findHomeLocation, needsEmbeddedRedis } from "../../server/start-configured-redis.ts";
import { formatLocation } from "../../server/targets/probe-target.ts";
import { explainReadOnly } from "../connection/read-only-access.ts";
import { readServerSettings, type SettingsOptions } from "../connection/server-settings.ts";
import { CliError } from "../output/cli-error.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import { explainLocalError } from "../output/local-error.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";

const PORT_MAX = 65_535;

const HELP = `
Without --redis, Lockkeeper runs a Redis of its own on 127.0.0.1, and unpacks one if none is installed. All settings of
the environment apply, such as LOCKKEEPER_WATCH; options take precedence. Signals: SIGTERM and Ctrl-C stop the server.

Examples:
  $ lockkeeper serve                                             with a Redis of its own
  $ lockkeeper serve --redis redis://redis-1:6379 --port 8080
  $ lockkeeper serve --redis redis://reader:PASSWORD@redis-1:6379 --read-only
  $ REDIS_URL=redis://redis-1:6379 lockkeeper                    the password stays out of the arguments`;

/** `lockkeeper serve`: runs the console and the API. It is the default command. */
export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command("serve", { isDefault: true })
    .description("Run the console and the API.")
    .option("--redis <url>", "URL of the Redis whose locks are shown (default: REDIS_URL)")
    .option("--host <address>", "address to listen on (default: HOST, or 127.0.0.1)")
    .option("--port <number>", "port to listen on (default: PORT, or 3000)", parsePort)
    .option("--read-only", "write nothing to the Redis of --redis or REDIS_URL")
    .option(
      "--data <folder>",
      "folder for Lockkeeper's own data (default: LOCKKEEPER_DATA_DIR, or ~/.local/share/lockkeeper)",
    )
    .option("--config <file>", "configuration file with several targets (default: LOCKKEEPER_CONFIG)")
    .addHelpText("after", HELP)
    .action((options: SettingsOptions) =>
      serve({
        output: {
          hasTerminal: context.hasTerminal,
          printLine: (line) => context.writeOut(`${line}\n`),
        },
        prepare: () => prepare(options, context),
        reportFailure: (error) => reportFailure(error, context),
      }),
    );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It must be a port number from 0 to ${PORT_MAX}.`);
}

async function prepare(options: SettingsOptions, context: CliContext): Promise<Config> {
  const config = readServerSettings(options, context.environment);
  context.writeOut(`Lockkeeper ${context.version}\n`);
  const [first] = config.targets;
  if (config.targetsSource === "environment" && first.policy.readOnly && first.where !== undefined) {
    const lines = await explainReadOnly(first.where, first.policy.watch, describeOwnData(config));
    for (const line of lines) context.writeOut(`${toPrintable(line)}\n`);
  }
  for (const { name, where } of config.targets) {
    const label = config.targets.length === 1 ? "" : ` (${name})`;
    if (where !== undefined) context.writeOut(`Connecting to Redis at ${formatLocation(where)}${label}…\n`);
  }
  if (needsEmbeddedRedis(config)) context.writeOut(`Starting the embedded Redis in ${config.dataDir}…\n`);
  return config;
}

function describeOwnData(config: Config): string {
  const home = findHomeLocation(config);
  return home === undefined
    ? `an embedded Redis in ${config.dataDir}`
    : `the Redis at ${formatLocation(home)}`;
}

function reportFailure(error: unknown, context: CliContext): number {
  const known =
    error instanceof StartupError || error instanceof LockkeeperError ? explainLocalError(error) : error;
  if (known instanceof CliError) {
    context.writeError(`lockkeeper: cannot start: ${known.message}\n`);
    return known.exitCode;
  }
  context.writeError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT_CODES.failure;
}
