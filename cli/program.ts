import { Command } from "commander";
import type { CliContext } from "./commands/command-context.ts";
import { COMMANDS } from "./commands/commands.ts";

const FOOTER = `
Environment: LOCKKEEPER_URL and LOCKKEEPER_API_KEY name the server and the key, REDIS_URL a Redis, NO_COLOR turns colors off.
Without a command, lockkeeper runs "serve".`;

/**
 * Creates the program with all commands. Parsing throws a `CommanderError` instead of exiting, so that the caller can
 * choose the exit code.
 */
export function createProgram(context: CliContext): Command {
  const program = new Command("lockkeeper")
    .description("Locks in Redis: a console, an API and a command line.")
    .version(context.version)
    // Options after the name of a command belong to the command, such as `--version` in `release --version`.
    .enablePositionalOptions()
    .addHelpText("after", FOOTER);
  configure(program, context);
  for (const addCommand of COMMANDS) addCommand(program, context);
  configureSubcommands(program, context);
  return program;
}

/**
 * Applies the settings of the program to all subcommands, because commander does not pass settings on to subcommands
 * that are added with `addCommand`.
 */
function configureSubcommands(parent: Command, context: CliContext): void {
  for (const command of parent.commands) {
    configure(command, context);
    configureSubcommands(command, context);
  }
}

function configure(command: Command, context: CliContext): void {
  command
    .showHelpAfterError("Run with --help for usage.")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.writeOut(text),
      writeErr: (text) => context.writeError(text),
    });
}
