import { test } from "vitest";
import { Topology } from "./topology.ts";

/**
 * Tests on a single Redis, like the chaos tests: `topology`, and `redis`, a plain connection. Each test begins without
 * keys.
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
