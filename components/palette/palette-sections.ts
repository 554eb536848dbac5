import type { PaletteCommand } from "../app/command-registry.tsx";

export interface PaletteSection {
  readonly title: string;
  readonly commands: readonly PaletteCommand[];
}

/** Those that have every word of what was typed in their name or hint, whatever the case. */
export function filterCommands(commands: readonly PaletteCommand[], typed: string): PaletteCommand[] {
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
export function removeEmptySections(sections: readonly PaletteSection[]): PaletteSection[] {
  return sections.filter(({ commands }) => commands.length > 0);
}
