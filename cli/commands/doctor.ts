import type { Command } from "commander";
import {
  addServerOptions,
  chooseConnection,
  parseServerUrl,
  type RedisOption,
  type ServerOptions,
} from "../connection/choose-connection.ts";
import { EXIT_CODES } from "../output/exit-codes.ts";
import type { CliContext } from "./command-context.ts";
import type { DoctorOptions } from "./doctor-checks.ts";

const HELP = `
Of a Redis: reads its settings and state, and prints what makes it unsafe for locks, with the command that fixes it.
Nothing is written; --check-writes also tries the commands that locking needs, on keys that do not exist.
Of a Lockkeeper server: its health, readiness and version, and with an API key the findings of its targets.

Exits with 1 if a finding is serious (danger), or the server is not ready.

Examples:
  $ lockkeeper doctor redis://redis-1:6379
  $ lockkeeper doctor 'redis-sentinel://sentinel-1:26379,sentinel-2:26379/0?master=shop' --json
  $ lockkeeper doctor https://locks.example.com`;

/** Adds `lockkeeper doctor`, which checks a Redis deployment or a server. */
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
      // Imported dynamically, so that other commands do not load the checks.
      const { checkRedis, checkServer } = await import("./doctor-checks.ts");
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
