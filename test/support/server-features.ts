import type { Redis } from "ioredis";
import type { TestContext } from "vitest";

/** A feature that some supported versions of Redis and Valkey lack. */
export type ServerFeature = "config" | "tls" | "sharded_pubsub" | "script_clock" | "script_error_codes";

interface FeatureCheck {
  /** Reason for skipping a test that needs the feature. */
  readonly reason: string;
  check(redis: Redis): Promise<boolean>;
}

const CHECKS: Readonly<Record<ServerFeature, FeatureCheck>> = {
  config: {
    reason: "this server has no CONFIG command",
    check: async (redis) => {
      const [command] = (await redis.call("COMMAND", "INFO", "CONFIG")) as unknown[];
      return command !== null && command !== undefined;
    },
  },
  tls: {
    reason: "this server was built without TLS",
    check: async (redis) => ((await redis.config("GET", "tls-port")) as unknown[]).length > 0,
  },
  sharded_pubsub: {
    reason: "Redis before 7.0 has no SPUBLISH",
    check: async (redis) => {
      const [command] = (await redis.call("COMMAND", "INFO", "SPUBLISH")) as unknown[];
      return command !== null && command !== undefined;
    },
  },
  script_clock: {
    reason: "since Redis 7.2 the time stands still while a script runs, so no key expires during it",
    check: async (redis) => (await readVersion(redis)) < 7.2,
  },
  script_error_codes: {
    reason: "Redis before 7.0 counts the error of a command in a script as ERR",
    check: async (redis) => (await readVersion(redis)) >= 7,
  },
};

/** Returns whether the server that `redis` is connected to has the feature. */
export function hasServerFeature(redis: Redis, feature: ServerFeature): Promise<boolean> {
  return CHECKS[feature].check(redis);
}

/** Skips the test with a reason if the server lacks the feature. */
export async function requireServerFeature(
  { skip }: Pick<TestContext, "skip">,
  redis: Redis,
  feature: ServerFeature,
): Promise<void> {
  skip(!(await hasServerFeature(redis, feature)), CHECKS[feature].reason);
}

/** Returns the Redis version with which the server is compatible, such as 7.2 for all versions of Valkey. */
async function readVersion(redis: Redis): Promise<number> {
  const [, version = ""] = /^redis_version:(\d+\.\d+)/m.exec(await redis.info("server")) ?? [];
  return Number(version);
}
