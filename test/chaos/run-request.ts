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
  /** The longest lease that a worker requests. */
  readonly leaseMs: number;
  /** Number of locks that a worker acquires at the same time. */
  readonly contexts: number;
  /** The kinds of lock that the workers compete for. */
  readonly kinds: readonly KindUnderTest[];
  /** How many locks of each kind the workers compete for. */
  readonly locks: number;
  /** Latency in ms between a process and its servers, in each direction. */
  readonly latencyMs: number;
}
