import type { Command } from "commander";
import type { CliEnvironment } from "../connection/environment.ts";
import type { Terminal } from "../output/terminal.ts";

/**
 * The interface between a command and its process: version, environment, terminal, output and exit code. Tests pass
 * their own context.
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

/** A function that adds one command to the program. Each command has its own file in this folder. */
export type AddCommand = (program: Command, context: CliContext) => void;
