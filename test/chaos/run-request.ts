import type { WritableFormat } from "../../lib/contract/format.ts";
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
  /** How many locks the workers compete for. */
  readonly locks: number;
  /** The latency of each direction between a process and its servers, in ms. */
  readonly latencyMs: number;
}
