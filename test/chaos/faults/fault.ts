import type { LockUnderTest } from "../locks-under-test.ts";
import type { ProcessGroup } from "../processes/process-group.ts";
import type { Topology, TopologyName } from "../servers/topology.ts";

/** The processes and servers that faults affect. */
export interface ChaosEnvironment {
  readonly workers: ProcessGroup;
  /** The API servers. Empty if all workers use the library. */
  readonly apis: ProcessGroup;
  readonly topology: Topology;
  readonly locks: readonly LockUnderTest[];
}

/** An entry of the schedule, with all its random choices. */
export interface PlannedFault {
  readonly fault: string;
  readonly atMs: number;
  readonly forMs: number;
  /** Index of the target: a worker, a Redis server, an API server or a replica group. */
  readonly target: number;
  /** Random number from 0 to 1 that selects the variant of the fault. */
  readonly chance: number;
  /** Offset of the server's wall clock during the fault in milliseconds. Positive if the clock is ahead. */
  readonly stepMs: number;
}

/**
 * The effect of a fault on earlier grants, which determines the violations that the fault excuses. `leases`: leases end
 * earlier or later by the clock step. `writes`: the latest writes are lost, including releases and renewals. `data`:
 * the server loses the grants. `fences`: the server loses the grants and then issues lower fences.
 */
export type Loses = "nothing" | "leases" | "writes" | "data" | "fences";

export interface Fault {
  readonly name: string;
  readonly on: "worker" | "server" | "api" | "group";
  /**
   * Topologies in which the fault can occur. The default depends on the target: all for workers, those without replicas
   * for servers, and only `single` for API servers.
   */
  readonly topologies?: readonly TopologyName[];
  /** `at_once`: the fault has no duration, so there is no time between `begin` and `end`. */
  readonly lasts: "a_while" | "at_once";
  readonly loses: Loses;
  /** The direction in which the fault sets the server's wall clock. Absent if the fault does not set the clock. */
  readonly steps?: "either_way" | "back";
  /**
   * `by_name`: the fault is only injected if the command line names it, because it breaks guarantees that hold under
   * all other faults.
   */
  readonly asked?: "by_name";
  begin(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
  end(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
}

export const doNothing = async (): Promise<void> => undefined;
