import type { Runtime } from "./runtime.ts";

const RUNTIME_SLOT = Symbol.for("lockkeeper");

/**
 * The running server, for pages and the API route; undefined when pages alone are running. It lives on `globalThis` because Next bundles its own copy
 * of every module it imports: a module-level variable would be another one there.
 */
export function getRuntime(): Runtime | undefined {
  return (globalThis as { [RUNTIME_SLOT]?: Runtime })[RUNTIME_SLOT];
}

export function setRuntime(value: Runtime): void {
  (globalThis as { [RUNTIME_SLOT]?: Runtime })[RUNTIME_SLOT] = value;
}
