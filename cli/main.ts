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
  // Commander prints its errors before it throws them. It also throws after it has printed --help or --version.
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

/** Exits without an error if standard output is a pipe whose reader, such as `head`, has exited. */
function endOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}

// Hides the arguments of the process from other users of the machine, because a Redis URL may contain a password.
process.title = "lockkeeper";
endOnBrokenPipe();
try {
  await createProgram(context).parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportError(error);
}
