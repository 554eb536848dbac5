import type { Redis } from "ioredis";
import type { Usage } from "../processes/usage-reporter.ts";
import type { Target } from "./dialects.ts";

/** A server that grants locks over HTTP, in a separate process. */
export interface HttpContender {
  readonly name: string;
  /** Description of the settings that differ from the defaults. */
  readonly settings: string;
  readonly target: Target;
  /** Returns the CPU time that the server process has used, in µs. */
  cpuMicros(): Promise<number>;
  /** A connection to the Redis of the server; undefined for etcd. */
  readonly inspector: Redis | undefined;
}

/** A server in Node.js that also reports its memory. */
export interface NodeContender extends HttpContender {
  readonly inspector: Redis;
  readonly redisUrl: string;
  /** Returns the memory in use after garbage collection. */
  memory(): Promise<Usage>;
}
