import type { LockUnderTest } from "../locks-under-test.ts";
import type { ProcessGroup } from "../processes/process-group.ts";
import type { Topology, TopologyName } from "../servers/topology.ts";

/** What faults work on. */
export interface ChaosEnvironment {
  readonly workers: ProcessGroup;
  /** Our API servers; none where workers use the library alone. */
  readonly apis: ProcessGroup;
  readonly topology: Topology;
  readonly locks: readonly LockUnderTest[];
}

/** One entry of the schedule: all that chance had to say about it. */
export interface PlannedFault {
  readonly fault: string;
  readonly atMs: number;
  readonly forMs: number;
  /** The number of the worker, of the Redis server or of the API server; a group of replicas is one. */
  readonly target: number;
  /** 0 to 1: picks among the variants of a fault. */
  readonly chance: number;
  /** By how much the wall clock of its server is wrong meanwhile; above 0 it is ahead. */
  readonly stepMs: number;
}

/**
 * What a fault takes from those who were granted a lock before, and so what it excuses. `leases`: they end earlier or
 * later, by what the clock went. `writes`: what was written last is undone, releases and renewals as well as grants.
 * `data`: the server has forgotten them. `fences`: and it hands out fences below theirs.
 */
export type Loses = "nothing" | "leases" | "writes" | "data" | "fences";

export interface Fault {
  readonly name: string;
  readonly on: "worker" | "server" | "api" | "group";
  /** Where it can be; by default all for workers, those without replicas for servers, and a single server for the API. */
  readonly topologies?: readonly TopologyName[];
  /** `at_once`: it has no end. */
  readonly lasts: "a_while" | "at_once";
  readonly loses: Loses;
  /** Which way it sets the wall clock of its server; absent: it leaves it alone. */
  readonly steps?: "either_way" | "back";
  /** `by_name`: it breaks what no other fault may, so it is no part of "all faults". */
  readonly asked?: "by_name";
  begin(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
  end(stage: ChaosEnvironment, planned: PlannedFault): Promise<void>;
}

export const doNothing = async (): Promise<void> => undefined;
