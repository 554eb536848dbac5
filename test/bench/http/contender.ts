import type { Redis } from "ioredis";
import type { Usage } from "../processes/usage-reporter.ts";
import type { Target } from "./dialects.ts";

/** A server that grants locks over HTTP, in a separate process. */
export interface HttpContender {
  readonly name: string;
  /** Settings that differ from the defaults. */
  readonly settings: string;
  readonly target: Target;
  /** Returns the CPU time that its process has used. */
  cpuMicros(): Promise<number>;
  /** A connection to its Redis; undefined for etcd. */
  readonly inspector: Redis | undefined;
}

/** A Lockkeeper server in Node, which reports more about itself. */
export interface NodeContender extends HttpContender {
  readonly inspector: Redis;
  readonly redisUrl: string;
  /** Returns the memory that remains after garbage collection. */
  memory(): Promise<Usage>;
}
