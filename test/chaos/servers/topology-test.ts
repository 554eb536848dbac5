import { test } from "vitest";
import { Topology } from "./topology.ts";

/**
 * Returns a test function with a single Redis as in chaos runs. Its fixtures are `topology` and `redis`, a plain
 * connection. Each test starts with an empty database.
 */
export function topologyTest() {
  return test
    .extend("topology", { scope: "file" }, async ({}, { onCleanup }) => {
      const topology = await Topology.start("single");
      onCleanup(() => topology.stop());
      return topology;
    })
    .extend("redis", async ({ topology }) => {
      const redis = topology.getConnection(0);
      await redis.flushall();
      return redis;
    });
}
