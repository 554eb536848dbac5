import { Argument, type Command } from "commander";
import {
  type CompletionCommand,
  formatCompletion,
  SHELLS,
  type Shell,
} from "../output/completion-scripts.ts";
import type { CliContext } from "./command-context.ts";

const HELP = `
Examples:
  $ source <(lockkeeper completion bash)                              in ~/.bashrc
  $ lockkeeper completion zsh > "\${fpath[1]}/_lockkeeper"
  $ lockkeeper completion fish > ~/.config/fish/completions/lockkeeper.fish`;

/** Adds `lockkeeper completion`, which prints a completion script for a shell. */
export function addCompletionCommand(program: Command, context: CliContext): void {
  program
    .command("completion")
    .description("Print a completion script for a shell.")
    .addArgument(new Argument("<shell>", "shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action((shell: Shell) => context.writeOut(formatCompletion(shell, listCommands(program))));
}

/** Lists all commands below `parent` with their options, including nested subcommands. */
function listCommands(parent: Command, prefix: readonly string[] = []): CompletionCommand[] {
  return parent.commands.flatMap((command) => {
    const path = [...prefix, command.name()];
    const options = command.options.flatMap(({ long, description, required, optional }) =>
      long === undefined || long === null
        ? []
        : [{ name: long, description, takesValue: required || optional }],
    );
    return [{ path, description: command.description(), options }, ...listCommands(command, path)];
  });
}
