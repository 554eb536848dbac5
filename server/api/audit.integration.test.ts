import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuditEntry } from "../../lib/contract/audit.ts";
import { pathOfKey } from "../../lib/contract/key.ts";
import { startTestRedis, type TestRedis } from "../testing/redis.ts";
import { startTestServer, type TestServer, until } from "../testing/server.ts";

let home: TestRedis;
let server: TestServer;
let direct: Redis;
let kept: Redis;

beforeAll(async () => {
  home = await startTestRedis();
  server = await startTestServer({ environment: { LOCKKEEPER_HOME_URL: home.url } });
  direct = server.redis.client();
  kept = home.client();
});
afterAll(async () => {
  await server.stop();
  await home.stop();
});

const fresh = () => `lock:${randomUUID()}`;

async function entries(): Promise<AuditEntry[]> {
  const found = await kept.xrange("{lockkeeper}:audit", "-", "+");
  return found.map(([, fields]) => JSON.parse(fields[fields.indexOf("entry") + 1] ?? ""));
}

async function held(key = fresh()) {
  await direct.hset(key, `${randomUUID()}:1`, 1);
  await direct.pexpire(key, 60_000);
  const { body } = await server.call(`/locks/${pathOfKey(key)}`);
  return { key, version: body.version as string, owner: body.holders[0].owner as string };
}

const force = (key: string, body: object, headers: Record<string, string> = {}) =>
  server.call(`/locks/${pathOfKey(key)}/force-release`, { body, headers });

it("a forced release is recorded before it is done, with who, from where, what was seen and why, and after it", async () => {
  const { key, version, owner } = await held();
  const agent = `curl/8 ${"x".repeat(500)}`;
  const freed = await force(key, { expect: version, reason: "its worker\nis gone" }, { "user-agent": agent });
  expect(freed.body.outcome).toBe("released");
  const requestId = freed.headers.get("x-request-id");
  const ours = async () => (await entries()).filter((entry) => "id" in entry);
  await until(async () => (await ours()).some(({ kind }) => kind === "outcome"));
  const [intent, outcome] = await ours();
  expect(intent).toMatchObject({
    ...{
      kind: "intent",
      action: "force-release",
      target: "default",
      key,
      requestId,
      reason: "its worker\nis gone",
    },
    who: { kind: "key", id: "root", name: "key:root", verbs: ["read", "lock", "force", "admin"] },
    from: { address: "127.0.0.1", agent: agent.slice(0, 200) },
    seen: { version, owners: [owner] },
  });
  expect(outcome).toMatchObject({ kind: "outcome", outcome: { code: "released", owner } });
  expect((intent as { id: string }).id).toBe((outcome as { id: string }).id);
});

it("a refusal is recorded as what it was, and nothing is freed", async () => {
  const { key, version } = await held();
  const other = `${randomUUID()}:9`;
  await direct.del(key);
  await direct.hset(key, other, 1);
  expect((await force(key, { expect: version, reason: "stuck" })).body.code).toBe("changed");
  const outcomes = async () =>
    (await entries()).flatMap((entry) => (entry.kind === "outcome" ? [entry.outcome] : []));
  await until(async () => (await outcomes()).some(({ code }) => code === "changed"));
  expect((await outcomes()).find(({ code }) => code === "changed")).toMatchObject({ owner: other });
  expect(await direct.exists(key)).toBe(1);
});

it("while the record cannot be written nothing is done: the lock is untouched, and can be freed when the store is back", async () => {
  const { key, version } = await held();
  const before = await direct.hgetall(key);
  home.freeze();
  const refused = await force(key, { expect: version, reason: "stuck" });
  expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
  expect(refused.body.detail).toContain("Nothing was done");
  expect(await direct.hgetall(key)).toEqual(before);
  const reserved = fresh();
  expect(
    (await server.call(`/locks/${pathOfKey(reserved)}/reserve`, { body: { holdOffMs: 5000 } })).status,
  ).toBe(503);
  expect(await direct.exists(reserved)).toBe(0);
  home.thaw();
  await until(async () => (await force(key, { expect: version, reason: "stuck" })).status === 200, 10_000);
  expect(await direct.exists(key)).toBe(0);
  // The first try may have reached the store after all; then it says that nothing was begun.
  const about = async () => {
    const all = await entries();
    const intents = all.flatMap((entry) => (entry.kind === "intent" && entry.key === key ? [entry.id] : []));
    return all.flatMap((entry) =>
      entry.kind === "outcome" && intents.includes(entry.id) ? [entry.outcome.code] : [],
    );
  };
  await until(async () => (await about()).includes("released"));
  expect((await about()).filter((code) => code === "released")).toHaveLength(1);
}, 30_000);
