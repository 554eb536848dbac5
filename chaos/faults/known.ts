import type { Fault } from "./fault.ts";
import { NETWORK_FAULTS } from "./network.ts";
import { SERVER_FAULTS } from "./servers.ts";
import { WORKER_FAULTS } from "./workers.ts";

export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [...WORKER_FAULTS, ...NETWORK_FAULTS, ...SERVER_FAULTS].map((fault) => [fault.name, fault]),
);

export function faultOf(name: string): Fault {
  const fault = FAULTS.get(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}
