import type { Runtime } from "./runtime.ts";

const RUNTIME_SLOT = Symbol.for("lockkeeper");
const FOLDER_SLOT = Symbol.for("lockkeeper.console-folder");

/**
 * Returns the running server for use in pages and the API route; `undefined` if only the pages are running. The server
 * is stored on `globalThis`, because Next bundles a second copy of each module with separate module-level variables.
 */
export function getRuntime(): Runtime | undefined {
  return (globalThis as { [RUNTIME_SLOT]?: Runtime })[RUNTIME_SLOT];
}

export function setRuntime(value: Runtime): void {
  (globalThis as { [RUNTIME_SLOT]?: Runtime })[RUNTIME_SLOT] = value;
}

/** Returns the folder that contains the console's files, including `public`; by default, the working directory. */
export function getConsoleFolder(): string {
  return (globalThis as { [FOLDER_SLOT]?: string })[FOLDER_SLOT] ?? process.cwd();
}

export function setConsoleFolder(folder: string): void {
  (globalThis as { [FOLDER_SLOT]?: string })[FOLDER_SLOT] = folder;
}
