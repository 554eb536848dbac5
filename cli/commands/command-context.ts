import type { Command } from "commander";
import type { CliEnvironment } from "../connection/environment.ts";
import type { Terminal } from "../output/terminal.ts";

/**
 * The access of a command to its process: output, terminal, environment and exit code. Tests pass their own context.
 */
export interface CliContext {
  readonly version: string;
  readonly environment: CliEnvironment;
  readonly hasTerminal: boolean;
  readonly terminal: Terminal;
  writeOut(text: string): void;
  writeError(text: string): void;
  /**
   * Sets the exit code of a command that completed. A command that fails throws a `CliError` with an exit code instead.
   */
  setExitCode(code: number): void;
}

/** Adds one command, defined in its own file in this folder, to the program. */
export type AddCommand = (program: Command, context: CliContext) => void;
