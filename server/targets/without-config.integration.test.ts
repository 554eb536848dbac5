import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { startApiProcess } from "../../test/support/api-process.ts";
import { createRedissonOwner, createTestKey } from "../../test/support/test-locks.ts";
import { startTestRedis, type TestRedisOptions } from "../../test/support/test-redis.ts";
import { createBearerHeader, ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";

/** Ways in which managed services prevent the use of CONFIG: the command is removed, or the user may not run it. */
const WAYS = {
  removed: { args: ["--rename-command", "CONFIG", ""], login: "" },
  denied: { args: [], login: "managed:secret@" },
} as const;
type Way = keyof typeof WAYS;

const SCANNED_MS = 15_000;
/** Time in ms that covers several rounds of periodic work, such as the canary and scans. */
const QUIET_MS = 5_000;

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  readonly body: any;
}

interface Api {
  call(path: string, body?: object): Promise<Reply>;
  callVerb(key: string, verb: string, body: object): Promise<Reply>;
  readLog(): string;
}

async function startApi(way: Way, flags: string): Promise<{ api: Api; direct: Redis }> {
  const { args, login } = WAYS[way];
  const options: TestRedisOptions = { args: ["--notify-keyspace-events", flags, ...args] };
  const redis = await startTestRedis(options);
  onTestFinished(() => redis.stop());
  const direct = redis.createClient();
  if (way === "denied")
    await direct.call("ACL", "SETUSER", "managed", "on", ">secret", "~*", "&*", "+@all", "-config");
  const process = await startApiProcess({
    REDIS_URL: `redis://${login}127.0.0.1:${redis.port}`,
    LOCKKEEPER_ROOT_KEY: ROOT_KEY,
    LOCKKEEPER_NOTIFICATIONS: "set",
    LOCKKEEPER_LOG: "info",
  });
  onTestFinished(() => process.stop());
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${process.url}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...createBearerHeader(ROOT_KEY),
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const callVerb = (key: string, verb: string, body: object) =>
    call(`/locks/${encodeKeyPath(key)}/${verb}`, body);
  return { api: { call, callVerb, readLog: process.readLog }, direct };
}

/** Acquires, waits for, releases and force-releases a lock, and checks each result. */
async function useLock({ call, callVerb }: Api, key: string): Promise<void> {
  const first = await callVerb(key, "acquire", { owner: "first" });
  expect(first.status).toBe(201);
  const waiting = callVerb(key, "acquire", { owner: "second", waitMs: 10_000 });
  await waitUntil(async () => (await call(`/locks/${encodeKeyPath(key)}/waiters`)).body.named === 1);
  expect((await call(`/holds/${first.body.holdId}/release`, {})).status).toBe(200);
  const second = await waiting;
  expect(second.status).toBe(201);
  const isSeen = async () =>
    (await call(`/locks/${encodeKeyPath(key)}`)).body.holders?.[0]?.owner === "second";
  await waitUntil(isSeen, SCANNED_MS);
  const { version } = (await call(`/locks/${encodeKeyPath(key)}`)).body;
  const ask = { expectedVersion: version, reason: "stuck" };
  expect((await callVerb(key, "force-release", ask)).body).toMatchObject({ outcome: "released" });
  expect((await call(`/holds/${second.body.holdId}`)).body).toMatchObject({ held: false });
}

/** Creates a foreign lock, waits until the API lists it, deletes it, and waits until the API omits it. */
async function watchForeignLock({ call }: Api, direct: Redis): Promise<void> {
  const key = createTestKey();
  const count = async () => (await call(`/locks?filter=${encodeURIComponent(`key:${key}`)}`)).body.total;
  await direct.hset(key, createRedissonOwner(), 1);
  await waitUntil(async () => (await count()) === 1, SCANNED_MS);
  await direct.del(key);
  await waitUntil(async () => (await count()) === 0, SCANNED_MS);
}

async function readHealth({ call }: Api) {
  const { status, body } = await call("/targets/default");
  expect(status).toBe(200);
  const codes: string[] = body.findings.map(({ code }: { code: string }) => code);
  return { ...body, codes };
}

/**
 * Waits for several rounds of periodic work. Then checks that the log has no errors, and at most one line that is a
 * warning or mentions CONFIG.
 */
async function checkLog({ readLog }: Api): Promise<void> {
  await sleep(QUIET_MS);
  const lines = readLog().split("\n");
  expect(lines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  expect(lines.filter((line) => /"level":40/.test(line) || /config/i.test(line)).length).toBeLessThanOrEqual(
    1,
  );
}

describe.each(["removed", "denied"] as const)("Redis with CONFIG %s", (way) => {
  test("locks are acquired, waited for, released, force-released and found by scanning, without errors in the log", async () => {
    const { api, direct } = await startApi(way, "");
    await useLock(api, createTestKey());
    await watchForeignLock(api, direct);
    const { target, findings, reports, codes } = await readHealth(api);
    expect(target).toMatchObject({ state: "live", notifications: "off" });
    expect(target.detail).toContain("notify-keyspace-events");
    expect(codes).toEqual(expect.arrayContaining(["notifications", "unread"]));
    expect(findings).toContainEqual(
      expect.objectContaining({ code: "unread", facts: expect.objectContaining({ command: "CONFIG GET" }) }),
    );
    expect(reports).toEqual([expect.objectContaining({ notifications: null, minReplicas: null })]);
    await checkLog(api);
  }, 90_000);

  test("notifications that the service has turned on are used", async () => {
    const { api, direct } = await startApi(way, "Kghszxe$");
    await watchForeignLock(api, direct);
    const { target, codes } = await readHealth(api);
    expect(target).toMatchObject({ state: "live", notifications: "on" });
    expect(codes).not.toContain("notifications");
  }, 60_000);
});
