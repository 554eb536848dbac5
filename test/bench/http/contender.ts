import type { Redis } from "ioredis";
import type { Usage } from "../processes/usage-reporter.ts";
import type { Target } from "./dialects.ts";

/** A server that gives out locks over HTTP, in a process of its own. */
export interface HttpContender {
  readonly name: string;
  /** How it is set up, where that is not its default. */
  readonly settings: string;
  readonly target: Target;
  /** CPU time that its process has used. */
  cpuMicros(): Promise<number>;
  /** Its Redis; etcd has none. */
  readonly inspector: Redis | undefined;
}

/** One of ours in Node, which can say more of itself. */
export interface NodeContender extends HttpContender {
  readonly inspector: Redis;
  readonly redisUrl: string;
  /** What it keeps, after everything that can be let go of was. */
  memory(): Promise<Usage>;
}
