import type { Workers } from "../processes/workers.ts";
import type { Topology } from "../servers/topology.ts";

/** What faults work on. */
export interface Stage {
  readonly workers: Workers;
  readonly topology: Topology;
}

/** One entry of the schedule: all that chance had to say about it. */
export interface Planned {
  readonly fault: string;
  readonly atMs: number;
  readonly forMs: number;
  /** The number of the worker or of the server. */
  readonly target: number;
  /** 0 to 1: picks among the variants of a fault. */
  readonly chance: number;
}

export interface Fault {
  readonly name: string;
  readonly on: "worker" | "server";
  /** `at_once`: it has no end. `data`: what was granted before may be granted again. */
  readonly lasts: "a_while" | "at_once";
  readonly loses: "data" | "nothing";
  begin(stage: Stage, planned: Planned): Promise<void>;
  end(stage: Stage, planned: Planned): Promise<void>;
}

export const nothing = async (): Promise<void> => undefined;
