import { TOPOLOGIES, type TopologyName } from "../servers/topology.ts";
import { API_FAULTS } from "./apis.ts";
import { CLOCK_FAULTS } from "./clocks.ts";
import { FAILOVER_FAULTS } from "./failovers.ts";
import type { Fault } from "./fault.ts";
import { MEMORY_FAULTS } from "./memory.ts";
import { NETWORK_FAULTS } from "./network.ts";
import { SERVER_FAULTS } from "./servers.ts";
import { WORKER_FAULTS } from "./workers.ts";

export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [
    ...WORKER_FAULTS,
    ...NETWORK_FAULTS,
    ...SERVER_FAULTS,
    ...MEMORY_FAULTS,
    ...CLOCK_FAULTS,
    ...API_FAULTS,
    ...FAILOVER_FAULTS,
  ].map((fault) => [fault.name, fault]),
);

/**
 * The default topologies of faults, by their target. API servers only run with a single Redis. In other topologies, all
 * workers use the library.
 */
const TOPOLOGIES_OF: Readonly<Record<Fault["on"], readonly TopologyName[]>> = {
  worker: TOPOLOGIES,
  server: ["single", "quorum"],
  api: ["single"],
  group: ["sentinel", "cluster"],
};

export function listFaults(topology: TopologyName): string[] {
  return [...FAULTS.values()]
    .filter(({ on, topologies }) => (topologies ?? TOPOLOGIES_OF[on]).includes(topology))
    .map(({ name }) => name);
}

/** Lists the faults that a run injects by default. Faults that must be requested by name are excluded. */
export function listDefaultFaults(topology: TopologyName): string[] {
  return listFaults(topology).filter((name) => FAULTS.get(name)?.asked !== "by_name");
}

export function getFault(name: string): Fault {
  const fault = FAULTS.get(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}
