import type { HomeStore } from "./home/home-store.ts";
import type { Readiness } from "./http/readiness.ts";
import type { TargetConnector } from "./targets/target-connector.ts";

/**
 * Whether requests can be answered: the home store is there, and the state of one target at least is complete. Writes
 * that Redis refuses are named but do not count: another instance could not carry them out either.
 */
export function computeReadiness(
  home: Pick<HomeStore, "isDisconnected">,
  connectors: readonly TargetConnector[],
): Readiness {
  const warnings = connectors.flatMap(listWarnings);
  if (home.isDisconnected) return { ready: false, state: "home store down", warnings };
  const states = connectors.map(({ target }) => target?.watcher.health().state ?? "down");
  const found = (["live", "partial"] as const).find((state) => states.includes(state));
  if (found !== undefined) return { ready: true, state: found, warnings };
  return { ready: false, state: states.includes("catching_up") ? "catching_up" : "down", warnings };
}

/** No addresses: anyone may read `/readyz`. */
function listWarnings({ name, target }: TargetConnector): string[] {
  const masters = target?.watcher.health().masters ?? [];
  const reasons = new Set(masters.flatMap(({ writesRefused }) => writesRefused ?? []));
  return [...reasons].map((reason) => `target ${name} refuses writes: ${reason}`);
}
