import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { LockkeeperError } from "../server/errors/lockkeeper-error.ts";
import { StartupError } from "../server/errors/startup-error.ts";
import type { CliContext } from "./commands/command-context.ts";
import { readEnvironment } from "./connection/environment.ts";
import { CliError } from "./output/cli-error.ts";
import { EXIT_CODES } from "./output/exit-codes.ts";
import { explainLocalError } from "./output/local-error.ts";
import { createTerminal } from "./output/terminal.ts";
import { createProgram } from "./program.ts";

const environment = readEnvironment();
const context: CliContext = {
  version: readVersion(),
  environment,
  hasTerminal: process.stdout.isTTY === true,
  terminal: createTerminal(environment.color),
  writeOut: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  setExitCode: (code) => {
    process.exitCode = code;
  },
};

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

/** Prints the error and returns the exit code of the process. */
function reportError(error: unknown): number {
  // Commander has printed its own errors. It also throws for --help and --version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.failure;
  const { message, exitCode } =
    error instanceof StartupError || error instanceof LockkeeperError
      ? explainLocalError(error)
      : toFailure(error);
  context.terminal.clearProgress();
  context.writeError(`lockkeeper: ${message}\n`);
  return exitCode;
}

function toFailure(error: unknown): Pick<CliError, "message" | "exitCode"> {
  if (error instanceof CliError) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, exitCode: EXIT_CODES.failure };
}

/** Ends quietly when the reader of a pipe, such as `head`, has closed it. */
function endOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}

// Replaces the arguments that other users of the machine can read, which may contain a Redis password.
process.title = "lockkeeper";
endOnBrokenPipe();
try {
  await createProgram(context).parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportError(error);
}
