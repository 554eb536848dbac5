export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

interface CompletionOption {
  /** Name of the option with its hyphens, such as `--json`. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
}

export interface CompletionCommand {
  /** Words of the command, such as `["audit", "verify"]`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly CompletionOption[];
}

/** Builds a shell script that completes commands and options. Values of options are completed as file names. */
export function formatCompletion(shell: Shell, commands: readonly CompletionCommand[]): string {
  switch (shell) {
    case "bash":
      return formatBash(commands);
    case "zsh":
      return formatZsh(commands);
    case "fish":
      return formatFish(commands);
  }
}

const getTopNames = (commands: readonly CompletionCommand[]) =>
  commands.flatMap(({ path }) => (path.length === 1 ? path : []));

/** Lists the words that can follow a command: its subcommands and options. */
function listWords({ path, options }: CompletionCommand, commands: readonly CompletionCommand[]): string[] {
  const subcommands = commands.flatMap((each) =>
    each.path.length === path.length + 1 && path.every((word, at) => each.path[at] === word)
      ? each.path.slice(-1)
      : [],
  );
  return [...subcommands, ...options.map(({ name }) => name), "--help"];
}

function formatBash(commands: readonly CompletionCommand[]): string {
  const cases = commands
    .filter(({ path }) => path.length === 1)
    .map((command) => `    ${command.path[0]}) words='${listAllWords(command, commands).join(" ")}' ;;`);
  return `# bash completion of lockkeeper
_lockkeeper() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
    *) words='${[...getTopNames(commands), "--help", "--version"].join(" ")}' ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${[...getTopNames(commands), "--help", "--version"].join(" ")}'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _lockkeeper lockkeeper
`;
}

/** Lists the words that can follow a command or one of its subcommands. */
function listAllWords(command: CompletionCommand, commands: readonly CompletionCommand[]): string[] {
  const family = commands.filter(({ path }) => path[0] === command.path[0]);
  return [...new Set(family.flatMap((each) => listWords(each, commands)))];
}

const quote = (text: string) => text.replaceAll("'", "'\\''");

function formatZsh(commands: readonly CompletionCommand[]): string {
  const top = commands.filter(({ path }) => path.length === 1);
  const names = top.map(({ path, description }) => `    '${path[0]}:${quote(description)}'`);
  const cases = top.map(
    (command) => `    ${command.path[0]}) compadd -- ${listAllWords(command, commands).join(" ")}; _files ;;`,
  );
  return `#compdef lockkeeper
_lockkeeper() {
  local -a commands
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _lockkeeper ]; then _lockkeeper "$@"; else compdef _lockkeeper lockkeeper; fi
`;
}

function formatFish(commands: readonly CompletionCommand[]): string {
  const lines = commands.flatMap(({ path, description, options }) => {
    const parent = path.slice(0, -1);
    const condition =
      parent.length === 0 ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${parent.join(" ")}`;
    const seen = `__fish_seen_subcommand_from ${path.at(-1)}`;
    return [
      `complete -c lockkeeper -n '${condition}' -f -a ${path.at(-1)} -d '${quote(description)}'`,
      ...options.map(
        ({ name, description: text, takesValue }) =>
          `complete -c lockkeeper -n '${seen}' -l ${name.slice(2)}${takesValue ? " -r" : ""} -d '${quote(text)}'`,
      ),
    ];
  });
  return `# fish completion of lockkeeper\n${lines.join("\n")}\n`;
}
