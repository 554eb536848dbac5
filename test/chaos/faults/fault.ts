import type { LockUnderTest } from "../locks-under-test.ts";
import type { ProcessGroup } from "../processes/process-group.ts";
import type { Topology, TopologyName } from "../servers/topology.ts";

/** The processes and servers that faults affect. */
export interface ChaosEnvironment {
  readonly workers: ProcessGroup;
  /** The API servers; none if workers only use the library. */
  readonly apis: ProcessGroup;
  readonly topology: Topology;
  readonly locks: readonly LockUnderTest[];
}

/** An entry of the schedule, with all its random choices. */
export interface PlannedFault {
  readonly fault: string;
  readonly atMs: number;
  readonly forMs: number;
  /** The number of the worker, Redis server or API server. A group of replicas counts as one server. */
  readonly target: number;
  /** Chooses among the variants of a fault, from 0 to 1. */
  readonly chance: number;
  /** Offset of its server's wall clock during the fault; positive if ahead. */
  readonly stepMs: number;
}

/**
 * What a fault may destroy of earlier grants, and which violations it therefore excuses. `leases`: they end earlier or
 * later by the clock step. `writes`: the latest writes are lost, including releases and renewals. `data`: the server
 * loses the grants. `fences`: in addition, it issues lower fences.
 */
export type Loses = "nothing" | "leases" | "writes" | "data" | "fences";

export interface Fault {
  readonly name: string;
  readonly on: "worker" | "server" | "api" | "group";
  /**
   * Topologies of the fault; by default all for workers, those without replicas for servers, and a single server for
   * the API.
   */
  readonly topologies?: readonly TopologyName[];
  /** `at_once`: the fault has no duration. */
  readonly lasts: "a_while" | "at_once";
  readonly loses: Loses;
  /** The direction in which it sets the wall clock of its server; absent if it does not. */
  readonly steps?: "either_way" | "back";
  /** `by_name`: it breaks guarantees that no other fault may break, so it is not part of "all faults". */
  readonly asked?: "by_name";
  begin(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
  end(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
}

export const doNothing = async (): Promise<void> => undefined;
