import { Command } from "commander";
import { type CliContext, COMMANDS } from "./commands/commands.ts";

/** Creates the command line. Parsing throws `CommanderError`, so that the caller decides about the exit code. */
export function createProgram(context: CliContext): Command {
  const program = new Command("lockkeeper")
    .description("Locks in Redis: a console, an API and a command line.")
    .version(context.version)
    .showHelpAfterError("Run with --help for usage.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.writeOut(text),
      writeErr: (text) => context.writeError(text),
    });
  for (const addCommand of COMMANDS) addCommand(program, context);
  return program;
}
