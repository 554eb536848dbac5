import { expect } from "vitest";
import { redisTest } from "../../test/support/fixtures.ts";
import { createBearerHeader, startTestServer, waitUntil } from "../../test/support/test-server.ts";
import { TestStream } from "../../test/support/test-stream.ts";
import { createForeignOwner } from "../../test/support/test-watcher.ts";

/** Starts a server with a target whose Redis user has no access to the command `MEMORY`, which measures keys. */
const it = redisTest().extend("server", { scope: "file" }, async ({ redis, direct }, { onCleanup }) => {
  await direct.call("ACL", "SETUSER", "narrow", "reset", "on", ">secret", "~*", "&*", "+@all", "-memory");
  // These keys are too large for the compact encoding of Redis, so their size must be measured before they are read.
  await direct.hset("lock:mine:1", "x".repeat(100), 1);
  await direct.hset("lock:other:1", "x".repeat(100), 1);
  await direct.hset("lock:held", createForeignOwner(), 1);
  const server = await startTestServer({
    environment: { LOCKKEEPER_LOG: "silent" },
    file: () => ({
      targets: [{ name: "narrow", redis: `redis://narrow:secret@127.0.0.1:${redis.port}` }],
    }),
  });
  onCleanup(() => server.stop());
  await waitUntil(async () => (await server.call("/targets/narrow")).body.unreadableKeys?.length === 2);
  return server;
});

it("a key that cannot be read returns 503 unavailable with what to grant", async ({ server }) => {
  for (const path of [
    "/locks/lock%3Amine%3A1",
    "/locks/lock%3Amine%3A1/raw",
    "/locks/lock%3Amine%3A1/waiters",
  ]) {
    const { status, body } = await server.call(path);
    expect([path, status, body.code]).toEqual([path, 503, "unavailable"]);
    expect(body.detail).toContain("grant +memory|usage");
  }
});

it("the health of the target counts unreadable keys, names them and shows the other locks", async ({
  server,
}) => {
  const { body } = await server.call("/targets/narrow");
  expect(body.findings).toContainEqual(
    expect.objectContaining({ code: "unreadable_keys", severity: "warning" }),
  );
  expect(body.findings).toContainEqual(
    expect.objectContaining({ code: "rights", command: "ACL SETUSER narrow +memory|usage" }),
  );
  expect(
    body.unreadableKeys.map(({ key, reason }: { key: string; reason: string }) => [key, reason]).sort(),
  ).toEqual([
    ["lock:mine:1", "forbidden"],
    ["lock:other:1", "forbidden"],
  ]);
  expect(body.target).toMatchObject({ state: "live", locks: 1 });
});

it("an API key that may read some keys alone cannot list unreadable keys", async ({ server }) => {
  const created = await server.call("/keys", {
    body: { name: "mine", verbs: ["read"], keys: ["lock:mine:*"] },
  });
  const headers = createBearerHeader(created.body.secret);
  const { status, body } = await server.call("/targets/narrow", { headers });
  expect([status, body.code]).toEqual([403, "forbidden"]);
  expect(JSON.stringify(body)).not.toContain("lock:other");
});

it("the live stream of a key that cannot be read says so, instead of only that it is free", async ({
  server,
}) => {
  const { messages, leave } = await TestStream.open(server, "/live?limit=0&lock=lock:mine:1");
  await waitUntil(() => messages.some(({ event }) => event === "lock"));
  const lock = messages.find(({ event }) => event === "lock")?.data.lock;
  expect(lock).toMatchObject({ key: "lock:mine:1", state: "free", unreadable: "forbidden" });
  leave();
});
