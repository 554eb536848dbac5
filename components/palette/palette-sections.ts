import { type KeyFields, parseKeyFields } from "@/lib/keys/key.ts";
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

/** Returns the locks with `first` at the front, even if they do not contain it. Does nothing if it is `undefined`. */
export function moveLockToFront<Locked extends KeyFields>(
  locks: readonly Locked[],
  first: Locked | undefined,
): readonly Locked[] {
  if (first === undefined) return locks;
  return [first, ...locks.filter((lock) => parseKeyFields(lock) !== parseKeyFields(first))];
}
