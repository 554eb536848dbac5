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

/**
 * Starts the server in this process. Resolves when the server is ready, and the server then runs until a signal stops
 * it. If the server cannot start, prints the error and ends the process.
 */
export async function runServer(options: SettingsOptions, context: CliContext): Promise<void> {
  await serve({
    output: {
      hasTerminal: context.hasTerminal,
      printLine: (line) => context.writeOut(`${line}\n`),
    },
    prepare: () => prepare(options, context),
    reportFailure: (error) => reportFailure(error, context),
  });
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
