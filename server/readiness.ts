import type { HomeStore } from "./home/home-store.ts";
import type { Readiness } from "./http/readiness.ts";
import type { TargetConnector } from "./targets/target-connector.ts";

/**
 * Computes whether this instance can serve requests: the home store is connected, and the state of at least one target
 * is `live` or `partial`. If a target refuses writes, this function reports only a warning, because other instances
 * cannot write either.
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

/** Lists the warnings, without addresses, because `/readyz` is public. */
function listWarnings({ name, target }: TargetConnector): string[] {
  const masters = target?.watcher.health().masters ?? [];
  const reasons = new Set(masters.flatMap(({ writesRefused }) => writesRefused ?? []));
  return [...reasons].map((reason) => `target ${name} refuses writes: ${reason}`);
}
