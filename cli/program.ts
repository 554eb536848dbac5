import { Command } from "commander";
import type { CliContext } from "./commands/command-context.ts";
import { COMMANDS } from "./commands/commands.ts";

const FOOTER = `
Environment: LOCKKEEPER_URL and LOCKKEEPER_API_KEY name the server and the key, REDIS_URL a Redis, NO_COLOR turns colors off.
Without a command, lockkeeper runs "serve".`;

/** Creates the command line. Parsing throws `CommanderError`, so that the caller chooses the exit code. */
export function createProgram(context: CliContext): Command {
  const program = new Command("lockkeeper")
    .description("Locks in Redis: a console, an API and a command line.")
    .version(context.version)
    // Options after a command belong to it, such as `release --version`.
    .enablePositionalOptions()
    .addHelpText("after", FOOTER);
  configure(program, context);
  for (const addCommand of COMMANDS) addCommand(program, context);
  configureSubcommands(program, context);
  return program;
}

/** Applies the settings of the program to all subcommands, which do not inherit them when added with `addCommand`. */
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
