import { expect, it } from "vitest";
import type { CliContext } from "./commands/command-context.ts";
import { readEnvironment } from "./connection/environment.ts";
import { createTerminal } from "./output/terminal.ts";
import { createProgram } from "./program.ts";
import { buildCliReference } from "./reference.ts";

const context: CliContext = {
  version: "0.0.0",
  environment: readEnvironment({}),
  hasTerminal: false,
  terminal: createTerminal("never"),
  writeOut: () => undefined,
  writeError: () => undefined,
  setExitCode: () => undefined,
};

const program = createProgram(context);
const commands = program.commands.flatMap((command) =>
  command.commands.length === 0 ? [command] : command.commands,
);

it("docs/cli-reference.md matches the commands", async () => {
  await expect(buildCliReference(program)).toMatchFileSnapshot("../docs/cli-reference.md");
});

it.each(commands.map((command) => [command.name(), command] as const))(
  "the help of %s has a description of each option and examples",
  (_name, command) => {
    const parts: string[] = [];
    command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
    const text = parts.join("");
    expect(text).toMatch(/^Examples?:\n( {2}\S.*\n?){2,}/m);
    for (const { description } of command.options) expect(description).not.toBe("");
    expect(command.options.map(({ long }) => long)).not.toContain("--api-key");
  },
);
