import { type Command, InvalidArgumentError } from "commander";
import type { SettingsOptions } from "../connection/server-settings.ts";
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

/** Adds `lockkeeper serve`, which runs the console and the API. `serve` is the default command. */
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
    .action(async (options: SettingsOptions) => {
      // Imported dynamically, so that other commands do not load the server.
      const { runServer } = await import("./server-process.ts");
      await runServer(options, context);
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`It must be a port number from 0 to ${PORT_MAX}.`);
}
