import type { Runtime } from "./runtime.ts";

const SLOT = Symbol.for("lockkeeper");

/**
 * The running server, for pages and the API route. It lives on `globalThis` because Next bundles its own copy
 * of every module it imports: a module-level variable would be another one there.
 */
export function runtime(): Runtime {
  const found = maybeRuntime();
  if (found === undefined)
    throw new Error("Lockkeeper's server is not running in this process: start it with `npm start`.");
  return found;
}

export function maybeRuntime(): Runtime | undefined {
  return (globalThis as { [SLOT]?: Runtime })[SLOT];
}

export function setRuntime(value: Runtime): void {
  (globalThis as { [SLOT]?: Runtime })[SLOT] = value;
}
