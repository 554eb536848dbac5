import type { Command } from "commander";
import type { SettingsOptions } from "../connection/server-settings.ts";
import { toPrintable } from "../output/printable.ts";
import type { CliContext } from "./command-context.ts";

const HELP = `
Uses the settings of the server: run it as the same account, with the same options and environment. The link works once,
within 10 minutes, and permits everything.

Examples:
  $ lockkeeper login
  $ lockkeeper login --name mei --port 8080`;

interface LoginOptions extends SettingsOptions {
  readonly name?: string;
}

/** Adds `lockkeeper login`, which prints a one-time link for logging in to the server on this machine. */
export function addLoginCommand(program: Command, context: CliContext): void {
  addSettingsOptions(
    program
      .command("login")
      .description("Print a one-time login link to the console on this machine.")
      .option("--name <name>", "operator to log in as (default: LOCKKEEPER_OPERATOR, or the account)")
      .option("--port <number>", "port of the server (default: PORT, or 3000)"),
  )
    .addHelpText("after", HELP)
    .action(async (options: LoginOptions) => {
      const { readServerSettings } = await import("../connection/server-settings.ts");
      const { createLoginLink } = await import("../../server/create-login-link.ts");
      const config = readServerSettings(options, context.environment);
      const name = options.name ?? config.operatorName;
      const link = await createLoginLink(config, name);
      context.writeOut(`Log in as ${toPrintable(name)} (once, within 10 minutes): ${link}\n`);
    });
}

/** Adds the options that locate the home store of the server on this machine. */
export function addSettingsOptions(command: Command): Command {
  return command
    .option("--redis <url>", "the --redis of the server (default: REDIS_URL)")
    .option("--read-only", "if the server runs with --read-only")
    .option("--data <folder>", "the --data of the server (default: LOCKKEEPER_DATA_DIR)")
    .option("--config <file>", "the --config of the server (default: LOCKKEEPER_CONFIG)");
}
