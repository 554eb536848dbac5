import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestRedis } from "../../test/support/test-redis.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";
import { acquireForeignLock } from "../../test/support/test-watcher.ts";
import { readInfoField } from "../redis/server-info.ts";

type DocumentedUser = "lockkeeper-locks" | "lockkeeper-reader" | "lockkeeper-home";

const DOCS = readFileSync(new URL("../../docs/targets.md", import.meta.url), "utf8");
const ENVIRONMENT = { LOCKKEEPER_LOG: "silent" };

/**
 * Creates a user with exactly the permissions that docs/targets.md lists.
 * @returns the Redis URL with the credentials of the user
 */
async function createDocumentedUser(direct: Redis, port: number, name: DocumentedUser): Promise<string> {
  const [, rules] = new RegExp(`^ACL SETUSER ${name} (.+)$`, "m").exec(DOCS) ?? [];
  if (rules === undefined) throw new Error(`docs/targets.md has no user ${name}`);
  const version = readInfoField(await direct.info("server"), "redis_version") ?? "";
  const supported = version.startsWith("6.")
    ? rules.replace("+eval_ro +evalsha_ro", "+eval +evalsha")
    : rules;
  await direct.call("ACL", "SETUSER", name, ...supported.replace(">PASSWORD", ">secret").split(" "));
  return `redis://${name}:secret@127.0.0.1:${port}`;
}

/** Lists the commands that Redis refused because of missing permissions, one line each. */
async function listRefusals(direct: Redis): Promise<string[]> {
  const entries = (await direct.call("ACL", "LOG", "100")) as unknown[][];
  return entries.map((entry) => {
    const fields = Object.fromEntries(
      Array.from({ length: entry.length / 2 }, (_, at) => [String(entry[2 * at]), entry[2 * at + 1]]),
    );
    return `${fields.username}: ${fields.reason} ${fields.object} (${fields.context})`;
  });
}

/** Starts a server that connects to its target and its home store as documented users. */
async function startAsDocumented(name: "lockkeeper-locks" | "lockkeeper-reader") {
  const [redis, home] = await Promise.all([startTestRedis(), startTestRedis()]);
  const [direct, homeDirect] = [redis.createClient(), home.createClient()];
  const [targetUrl, homeUrl] = await Promise.all([
    createDocumentedUser(direct, redis.port, name),
    createDocumentedUser(homeDirect, home.port, "lockkeeper-home"),
  ]);
  const readOnly = name === "lockkeeper-reader";
  const server = await startTestServer({
    environment: ENVIRONMENT,
    file: () => ({
      home: homeUrl,
      targets: [{ name: "main", redis: targetUrl, watch: ["lock:*"], lockable: ["lock:*"], readOnly }],
    }),
  });
  onTestFinished(async () => {
    await server.stop();
    await Promise.all([redis.stop(), home.stop()]);
  });
  return { server, direct, homeDirect };
}

async function readEverything(server: TestServer, key: string): Promise<void> {
  const path = encodeURIComponent(key);
  for (const route of [
    "/locks",
    `/locks/${path}`,
    `/locks/${path}/raw`,
    `/locks/${path}/waiters`,
    "/owners",
  ]) {
    expect([route, (await server.call(route)).status]).toEqual([route, 200]);
  }
  const health = await server.call("/targets/main");
  expect(health.body.target).toMatchObject({ state: "live", notifications: "on" });
  const findings: readonly { code: string }[] = health.body.findings;
  expect(findings.filter(({ code }) => code === "rights" || code === "unread")).toEqual([]);
  expect((await server.call("/audit")).status).toBe(200);
}

describe("users of docs/targets.md", () => {
  test("the user for locks and the one for the home store can do all that is promised, and nothing is refused", async () => {
    const { server, direct, homeDirect } = await startAsDocumented("lockkeeper-locks");
    for (const format of ["redisson", "token", "timestamp"]) {
      const key = `lock:acl:${format}`;
      const hold = await server.acquire(key, { owner: "me", format, leaseMs: 60_000 });
      expect((await server.callHold(hold, "renew", { leaseMs: 60_000 })).status).toBe(200);
      expect((await server.readHold(hold)).status).toBe(200);
      await server.waitForLocks(key);
      await readEverything(server, key);
      const waiting = server.callVerb(key, "acquire", { owner: "next", format, waitMs: 10_000 });
      await waitUntil(async () => (await server.readLock(key)).waiters?.count > 0);
      expect((await server.callHold(hold, "release")).status).toBe(200);
      expect((await waiting).status).toBe(201);
      await waitUntil(async () => (await server.readLock(key)).holders[0]?.owner === "next");
      const { version } = await server.readLock(key);
      const released = await server.callVerb(key, "force-release", {
        expectedVersion: version,
        reason: "test",
      });
      expect([released.status, released.body.detail]).toEqual([200, undefined]);
    }
    await acquireForeignLock(direct, "lock:acl:foreign");
    await server.waitForLocks("lock:acl:foreign");
    expect([await listRefusals(direct), await listRefusals(homeDirect)]).toEqual([[], []]);
  });

  test("the user for watching only sees locks and their changes, and nothing is refused", async () => {
    const { server, direct, homeDirect } = await startAsDocumented("lockkeeper-reader");
    await acquireForeignLock(direct, "lock:acl:foreign");
    await server.waitForLocks("lock:acl:foreign");
    await readEverything(server, "lock:acl:foreign");
    await direct.del("lock:acl:foreign");
    await server.waitForLocks("lock:acl:foreign", 0);
    expect([await listRefusals(direct), await listRefusals(homeDirect)]).toEqual([[], []]);
  });
});
