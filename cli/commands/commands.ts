import type { Command } from "commander";
import type { CliEnvironment } from "../connection/environment.ts";
import type { Terminal } from "../output/terminal.ts";
import { addAuditCommand } from "./audit.ts";
import { addCompletionCommand } from "./completion.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addEventsCommand } from "./events.ts";
import { addLoginCommand } from "./login.ts";
import { addLsCommand } from "./ls.ts";
import { addReleaseCommand } from "./release.ts";
import { addRunCommand } from "./run.ts";
import { addServeCommand } from "./serve.ts";
import { addShowCommand } from "./show.ts";

/** What commands use of the process, so that tests can replace it. */
export interface CliContext {
  readonly version: string;
  readonly environment: CliEnvironment;
  readonly hasTerminal: boolean;
  readonly terminal: Terminal;
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Sets the exit code of a command that completed. Errors set theirs by throwing `CliError`. */
  setExitCode(code: number): void;
}

/** Adds one command to the program. Each is in its own file of this folder. */
export type AddCommand = (program: Command, context: CliContext) => void;

/** In the order of `--help`. */
export const COMMANDS: readonly AddCommand[] = [
  addServeCommand,
  addRunCommand,
  addLsCommand,
  addShowCommand,
  addReleaseCommand,
  addEventsCommand,
  addDoctorCommand,
  addLoginCommand,
  addAuditCommand,
  addCompletionCommand,
];
