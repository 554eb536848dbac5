import type { PaletteCommand } from "../app/command-registry.tsx";

export interface PaletteSection {
  readonly title: string;
  readonly commands: readonly PaletteCommand[];
}

/** Returns the commands whose name or hint contains every word of the text, regardless of case. */
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

export function removeEmptySections(sections: readonly PaletteSection[]): PaletteSection[] {
  return sections.filter(({ commands }) => commands.length > 0);
}
