import { CLOCK_FAULTS } from "./clocks.ts";
import type { Fault } from "./fault.ts";
import { MEMORY_FAULTS } from "./memory.ts";
import { NETWORK_FAULTS } from "./network.ts";
import { SERVER_FAULTS } from "./servers.ts";
import { WORKER_FAULTS } from "./workers.ts";

export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [...WORKER_FAULTS, ...NETWORK_FAULTS, ...SERVER_FAULTS, ...MEMORY_FAULTS, ...CLOCK_FAULTS].map((fault) => [
    fault.name,
    fault,
  ]),
);

/** "All faults": those that need not be asked for by name. */
export const ALL_FAULTS: readonly string[] = [...FAULTS.values()]
  .filter(({ asked }) => asked !== "by_name")
  .map(({ name }) => name);

export function faultOf(name: string): Fault {
  const fault = FAULTS.get(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}
