"use client";

import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from "react";

/** What can be done where one is. */
export interface Command {
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

type Told = () => readonly Command[];

/** Who is mounted tells what can be done; it is asked when the palette is open, and costs nothing before. */
class CommandRegistry {
  readonly #told = new Set<Told>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  add(told: Told): () => void {
    this.#told.add(told);
    this.changed();
    return () => {
      this.#told.delete(told);
      this.changed();
    };
  }

  changed(): void {
    this.#version++;
    for (const listen of this.#listeners) listen();
  }

  subscribe = (listen: () => void): (() => void) => {
    this.#listeners.add(listen);
    return () => this.#listeners.delete(listen);
  };

  version = (): number => this.#version;

  all(): Command[] {
    return [...this.#told].flatMap((told) => told());
  }
}

const RegistryContext = createContext<CommandRegistry | null>(null);

export function CommandsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new CommandRegistry());
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

function useRegistry(): CommandRegistry {
  const registry = use(RegistryContext);
  if (registry === null) throw new Error("There is no <CommandsProvider> above this component.");
  return registry;
}

/** While mounted, these stand in the palette, as they were at the last render. */
export function useCommands(commands: readonly Command[]): void {
  const registry = useRegistry();
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => registry.add(() => latest.current), [registry]);
}

/** All that can be done here, in the order in which the parts of the page were mounted. */
export function useAllCommands(): readonly Command[] {
  const registry = useRegistry();
  useSyncExternalStore(registry.subscribe, registry.version, registry.version);
  return registry.all();
}
