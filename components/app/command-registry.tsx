"use client";

import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** What can be done where one is. */
export interface PaletteCommand {
  /** The same through all renders; its last part is unique on a page. */
  readonly id: string;
  readonly name: string;
  /** What stands behind it in grey. */
  readonly hint?: string | undefined;
  /** The key that does it without the palette. */
  readonly keys?: string | undefined;
  /** Why it cannot be done now. */
  readonly blocked?: string | null | undefined;
  run(): void;
}

type CommandSource = () => readonly PaletteCommand[];

/** Who is mounted tells what can be done; it is asked when the palette is open, and costs nothing before. */
class CommandRegistry {
  readonly #sources = new Set<CommandSource>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  add(source: CommandSource): () => void {
    this.#sources.add(source);
    this.notifyListeners();
    return () => {
      this.#sources.delete(source);
      this.notifyListeners();
    };
  }

  notifyListeners(): void {
    this.#version++;
    for (const listen of this.#listeners) listen();
  }

  subscribe = (listen: () => void): (() => void) => {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  };

  getVersion = (): number => this.#version;

  listCommands(): PaletteCommand[] {
    return [...this.#sources].flatMap((source) => source());
  }
}

const CommandRegistryContext = createContext<CommandRegistry | null>(null);

export function CommandsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new CommandRegistry());
  return <CommandRegistryContext value={registry}>{children}</CommandRegistryContext>;
}

function useCommandRegistry(): CommandRegistry {
  const registry = use(CommandRegistryContext);
  if (registry === null) throw new Error("There is no <CommandsProvider> above this component.");
  return registry;
}

/** While mounted, these stand in the palette, as they were at the last render. */
export function useCommands(commands: readonly PaletteCommand[]): void {
  const registry = useCommandRegistry();
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => registry.add(() => latest.current), [registry]);
}

/** All that can be done here, in the order in which the parts of the page were mounted. */
export function useAllCommands(): readonly PaletteCommand[] {
  const registry = useCommandRegistry();
  useSyncExternalStore(registry.subscribe, registry.getVersion, registry.getVersion);
  return registry.listCommands();
}
