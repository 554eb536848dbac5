import type { WritableFormat } from "../../lib/contract/format.ts";
import type { KindUnderTest } from "./locks-under-test.ts";
import type { TopologyName } from "./servers/topology.ts";

/** The parameters of a chaos run. */
export interface RunRequest {
  readonly topology: TopologyName;
  readonly seconds: number;
  readonly seed: number;
  readonly format: WritableFormat;
  readonly faults: readonly string[];
  /** Longest lease that a worker requests, in milliseconds. */
  readonly leaseMs: number;
  /** Number of contexts in each worker. Each context uses one lock at a time. */
  readonly contexts: number;
  /** Kinds of locks that the workers use. */
  readonly kinds: readonly KindUnderTest[];
  /** Number of locks of each kind. */
  readonly locks: number;
  /** Latency between a process and the servers in each direction, in milliseconds. */
  readonly latencyMs: number;
}
