import type { Command } from "../app/command-registry.tsx";

export interface Section {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Those that have every word of what was typed in their name or hint, whatever the case. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return commands.filter(({ name, hint = "" }) => {
    const text = `${name} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Without those that have nothing to offer. */
export function filled(sections: readonly Section[]): Section[] {
  return sections.filter(({ commands }) => commands.length > 0);
}
