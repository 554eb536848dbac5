import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import type { CliContext } from "./commands/commands.ts";
import { readEnvironment } from "./connection/environment.ts";
import { CliError } from "./output/cli-error.ts";
import { EXIT_CODES } from "./output/exit-codes.ts";
import { createProgram } from "./program.ts";

const context: CliContext = {
  version: readVersion(),
  environment: readEnvironment(),
  hasTerminal: process.stdout.isTTY === true,
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

/** Prints the error and returns the exit code for it. */
function reportError(error: unknown): number {
  // Commander has printed its own errors, and throws for --help and --version as well.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.success : EXIT_CODES.failure;
  if (error instanceof CliError) {
    context.writeError(`lockkeeper: ${error.message}\n`);
    return error.exitCode;
  }
  context.writeError(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT_CODES.failure;
}

try {
  await createProgram(context).parseAsync(process.argv);
} catch (error) {
  process.exitCode = reportError(error);
}
