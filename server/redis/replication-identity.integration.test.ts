import { expect, it, onTestFinished } from "vitest";
import { startTestProxy } from "../../test/support/test-proxy.ts";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { connect, parseRedisAddress, waitUntilReady } from "./connect.ts";
import { ReplicationIdentity } from "./replication-identity.ts";
import { fetchRunId } from "./server-info.ts";

it("two connections to one address have the run ids of the servers that they lead to", async () => {
  const [old, next] = [await startTestRedis(), await startTestRedis()];
  const proxy = await startTestProxy(old.port);
  const identity = new ReplicationIdentity();
  const address = parseRedisAddress(`redis://127.0.0.1:${proxy.port}`);
  const connectTo = async (name: string) => {
    const redis = connect(identity.watchAddress(address, "node", name), name);
    onTestFinished(() => redis.disconnect());
    await waitUntilReady(redis, AbortSignal.timeout(5000));
    return redis;
  };
  onTestFinished(async () => {
    await proxy.stop();
    for (const server of [old, next]) await server.stop();
  });
  const verbs = await connectTo("verbs");
  // New connections reach another server, while the first connection stays open.
  proxy.targetPort = next.port;
  const replicas = await connectTo("replicas");
  expect(identity.getRunId("node", "verbs")).toBe(await fetchRunId(verbs));
  expect(identity.getRunId("node", "replicas")).toBe(await fetchRunId(replicas));
  expect(identity.getRunId("node", "verbs")).not.toBe(identity.getRunId("node", "replicas"));
});
