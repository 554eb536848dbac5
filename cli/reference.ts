import type { Command, Option } from "commander";
import { EXIT_CODE_MEANINGS, EXIT_CODES } from "./output/exit-codes.ts";

const INTRODUCTION = `# Command line reference

Generated from the definition of the commands. [Command line](cli.md) describes the tasks.
`;

/** Builds the content of docs/cli-reference.md, which lists the options of every command and the exit codes. */
export function buildCliReference(program: Command): string {
  const sections = listLeafCommands(program).map(({ path, command }) => buildSection(path, command));
  return `${[INTRODUCTION, ...sections, buildExitCodes()].join("\n")}`;
}

interface LeafCommand {
  readonly path: string;
  readonly command: Command;
}

function listLeafCommands(parent: Command, prefix = "lockkeeper"): LeafCommand[] {
  return parent.commands.flatMap((command) => {
    const path = `${prefix} ${command.name()}`;
    return command.commands.length === 0 ? [{ path, command }] : listLeafCommands(command, path);
  });
}

function buildSection(path: string, command: Command): string {
  const rows = command.options.flatMap((option) => (option.hidden ? [] : [buildRow(option)]));
  const table = rows.length === 0 ? "" : `\n| option | default | meaning |\n|---|---|---|\n${rows.join("")}`;
  return `## ${path}\n\n${command.description()}\n\n\`${path} ${command.usage()}\`\n${table}`;
}

function buildRow({ flags, description, defaultValue, defaultValueDescription }: Option): string {
  const [, text = description, fallback] = /^(.*) \(default: (.*)\)$/.exec(description) ?? [];
  const value = fallback ?? defaultValueDescription ?? defaultValue;
  const shown = value === undefined ? "" : fallback === undefined ? `\`${value}\`` : fallback;
  return `| \`${flags}\` | ${escapeCell(shown)} | ${escapeCell(text)} |\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "\\<");
}

function buildExitCodes(): string {
  const names = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  const rows = names.map((name) => `| ${EXIT_CODES[name]} | ${EXIT_CODE_MEANINGS[name]} |\n`);
  return `## Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("")}| 128 + N | \`run\`: signal N ended the command. |\n`;
}
