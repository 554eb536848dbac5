import { Redis } from "ioredis";
import { StartupError } from "../errors/startup-error.ts";
import type { RedisAddress } from "./connect.ts";
import { readInfoField } from "./server-info.ts";

const OLDEST = { redis: [6, 2], valkey: [7, 2] } as const;
const CHECK_TIMEOUT_MS = 5000;

export interface ServerFacts {
  /** Name and version, such as "Redis 7.0.15". */
  readonly name: string;
  readonly runId: string;
}

export interface ServerExpectations {
  /** Name of the setting that contains the address, for error messages. @default "REDIS_URL" */
  readonly setting?: string;
  /** `cluster` if the server must be a cluster node; `single` if it must not be a cluster node. @default "single" */
  readonly topology?: "single" | "cluster";
}

/**
 * Checks that Lockkeeper can use a Redis server as a target. Returns the name and run id of the server.
 *
 * @throws StartupError with a one-line message if the server is unreachable, refuses the credentials or INFO, does not
 * have the database, is too old, is a replica, or does not have the expected topology
 */
export async function checkServer(
  address: RedisAddress,
  { setting = "REDIS_URL", topology = "single" }: ServerExpectations = {},
): Promise<ServerFacts> {
  const redis = new Redis({
    ...address.options,
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    connectTimeout: CHECK_TIMEOUT_MS,
    commandTimeout: CHECK_TIMEOUT_MS,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
  });
  let cause: Error | undefined;
  redis.on("error", (error: Error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    // ioredis selects the database but does not report that it is missing.
    if (address.db !== 0) await redis.select(address.db);
    return assertUsableServer(await redis.info(), address, { setting, topology });
  } catch (error) {
    throw error instanceof StartupError ? error : toStartupError(cause ?? error, address, setting);
  } finally {
    redis.disconnect();
  }
}

function assertUsableServer(
  info: string,
  address: RedisAddress,
  { setting, topology }: Required<ServerExpectations>,
): ServerFacts {
  const fact = (name: string) => readInfoField(info, name) ?? "";
  const valkey = fact("valkey_version");
  const version = valkey || fact("redis_version");
  const product = valkey ? "Valkey" : "Redis";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor, needMinor] = valkey ? OLDEST.valkey : OLDEST.redis;
  if (major < needMajor || (major === needMajor && minor < needMinor)) {
    throw new StartupError(
      `Redis at ${address.label} is ${product} ${version}; Lockkeeper needs Redis 6.2, Valkey 7.2 or newer.`,
    );
  }
  if (fact("cluster_enabled") === "1" && topology === "single") {
    throw new StartupError(
      `Redis at ${address.label} is a cluster node; write ${setting} as redis-cluster://host:port.`,
    );
  }
  if (fact("cluster_enabled") !== "1" && topology === "cluster") {
    throw new StartupError(
      `Redis at ${address.label} is not a cluster node; write ${setting} as redis://host:port.`,
    );
  }
  if (fact("role") === "slave") {
    throw new StartupError(
      `Redis at ${address.label} is a replica of ${fact("master_host")}:${fact("master_port")}; give the master in ${setting}.`,
    );
  }
  return { name: `${product} ${version}`, runId: fact("run_id") };
}

function toStartupError(error: unknown, address: RedisAddress, setting: string): StartupError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/NOAUTH|Authentication required/.test(message)) {
    return new StartupError(
      `Redis at ${address.label} asks for a password; put it in ${setting} as redis://:PASSWORD@host:port.`,
      { fault: "unauthorized" },
    );
  }
  if (/WRONGPASS|invalid password|invalid username/i.test(message)) {
    return new StartupError(`Redis at ${address.label} refuses the user or password in ${setting}.`, {
      fault: "unauthorized",
    });
  }
  if (/NOPERM/.test(message)) {
    return new StartupError(`Redis at ${address.label} does not let this user run INFO (${message}).`, {
      fault: "unauthorized",
    });
  }
  if (/out of range|invalid DB/i.test(message)) {
    return new StartupError(
      `Redis at ${address.label} has no such database; choose another number at the end of ${setting}.`,
    );
  }
  const why = /timed out|ETIMEDOUT/i.test(message) ? "it does not answer" : code || message;
  return new StartupError(
    `Redis at ${address.label} cannot be reached (${why}); start it or correct ${setting}.`,
    { fault: "unreachable" },
  );
}
