import type { WritableFormat } from "../../lib/contract/format.ts";
import type { KindUnderTest } from "./locks-under-test.ts";
import type { TopologyName } from "./servers/topology.ts";

/** What one chaos run is asked to do. */
export interface RunRequest {
  readonly topology: TopologyName;
  readonly seconds: number;
  readonly seed: number;
  readonly format: WritableFormat;
  readonly faults: readonly string[];
  /** The longest lease that a worker asks for. */
  readonly leaseMs: number;
  /** How many locks at a time a worker is after. */
  readonly contexts: number;
  /** The kinds of lock that the workers compete for. */
  readonly kinds: readonly KindUnderTest[];
  /** How many locks of each kind the workers compete for. */
  readonly locks: number;
  /** The latency of each direction between a process and its servers, in ms. */
  readonly latencyMs: number;
}
