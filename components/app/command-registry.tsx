"use client";

import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** A command that the current page adds to the palette. */
export interface PaletteCommand {
  /** Id of the command, which must be stable across renders. Its last segment must be unique on a page. */
  readonly id: string;
  readonly name: string;
  /** Text that is shown in gray after the name. */
  readonly hint?: string | undefined;
  /** The keyboard shortcut to show next to the command, such as `p`. */
  readonly keys?: string | undefined;
  /** Why the command is unavailable; `null` or `undefined` if it is available. */
  readonly blocked?: string | null | undefined;
  run(): void;
}

type CommandSource = () => readonly PaletteCommand[];

/** Stores the commands of all mounted components. Only an open palette reads the commands. */
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

/**
 * Adds commands to the palette while the calling component is mounted. The palette shows the commands passed in the
 * latest render.
 */
export function useCommands(commands: readonly PaletteCommand[]): void {
  const registry = useCommandRegistry();
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => registry.add(() => latest.current), [registry]);
}

/** Returns the commands of all mounted components, in mount order. */
export function useAllCommands(): readonly PaletteCommand[] {
  const registry = useCommandRegistry();
  useSyncExternalStore(registry.subscribe, registry.getVersion, registry.getVersion);
  return registry.listCommands();
}
