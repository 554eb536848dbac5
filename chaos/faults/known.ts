import type { TopologyName } from "../servers/topology.ts";
import { API_FAULTS } from "./apis.ts";
import { CLOCK_FAULTS } from "./clocks.ts";
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
  ].map((fault) => [fault.name, fault]),
);

/** The API has one standalone Redis behind it: on a quorum all workers use the library. */
export function faultsOn(topology: TopologyName): string[] {
  return [...FAULTS.values()]
    .filter(({ on }) => on !== "api" || topology === "single")
    .map(({ name }) => name);
}

/** "All faults": those that need not be asked for by name. */
export function allFaultsOn(topology: TopologyName): string[] {
  return faultsOn(topology).filter((name) => FAULTS.get(name)?.asked !== "by_name");
}

export function faultOf(name: string): Fault {
  const fault = FAULTS.get(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}
