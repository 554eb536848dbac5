import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let home: TestRedis;
let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  home = await startTestRedis();
  server = await startTestServer({
    file: (url) => ({ home: home.url, targets: [{ name: "main", redis: url, readOnly: true }] }),
  });
  direct = server.redis.createClient();
});
afterAll(async () => {
  await server.stop();
  await home.stop();
});

const readLock = async (key: string) => (await server.call(`/locks/${key}`)).body;
const sendNote = (key: string, body: object) => server.call(`/locks/${key}/note`, { body });

async function acquireLock(): Promise<string> {
  const key = `lock:${randomUUID()}`;
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  await waitUntil(async () => (await server.call(`/locks?filter=key:${key}`)).body.total === 1);
  return key;
}

it("a note on a hold ends with it, a note on a key stays, and the target is not written to", async () => {
  const key = await acquireLock();
  const { version } = await readLock(key);
  const text = '<b>mei</b> looks into it\n"soon"';
  const { status, body } = await sendNote(key, { note: ` ${text} `, expect: version });
  expect([status, body.note]).toMatchObject([200, { text, by: "key:root", about: "hold" }]);
  expect((await readLock(key)).note).toEqual(body.note);
  const { items } = (await server.call(`/locks?filter=key:${key}`)).body;
  expect(items[0].note).toEqual(body.note);
  await direct.del(key);
  await waitUntil(async () => (await readLock(key)).note === undefined);
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  await waitUntil(async () => (await readLock(key)).state === "held");
  expect((await readLock(key)).note).toBeUndefined();
  expect((await sendNote(key, { note: "late", expect: version })).body.code).toBe("changed");
  await sendNote(key, { note: "ask first" });
  await direct.del(key);
  await waitUntil(async () => (await readLock(key)).state === "free");
  expect((await readLock(key)).note).toMatchObject({ text: "ask first", about: "key" });
  expect((await sendNote(key, { note: "x", expect: version })).body.code).toBe("lost");
  expect((await sendNote(key, { note: "" })).body.note).toBeNull();
  expect((await readLock(key)).note).toBeUndefined();
  expect(await direct.keys("*lockkeeper*")).toEqual([]);
  for (const bad of ["\u0000", "a\u001b[31m", "x".repeat(501)])
    expect((await sendNote(key, { note: bad })).body.code).toBe("invalid");
});

it("a note on a hold outside the lock index is returned and shown", async () => {
  const key = `elsewhere:${randomUUID()}`;
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  const { version } = await readLock(key);
  const { body } = await sendNote(key, { note: "found by chance", expect: version });
  expect(body.note).toMatchObject({ text: "found by chance", about: "hold" });
  expect((await readLock(key)).note).toEqual(body.note);
});

it("a new note is pushed to open pages and visible on other instances", async () => {
  const key = await acquireLock();
  const stopped = new AbortController();
  const response = await fetch(`${server.url}/api/v1/live?filter=${key}&lock=${key}`, {
    headers: { authorization: `Bearer ${ROOT_KEY}` },
    signal: stopped.signal,
  });
  let told = "";
  const reading = (async () => {
    for await (const chunk of response.body ?? []) told += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await waitUntil(() => told.includes("event: lock") && told.includes("event: window"));
  told = "";
  await sendNote(key, { note: "written here" });
  await waitUntil(() => told.split("written here").length - 1 === 2);
  stopped.abort();
  await reading;
  const kept = home.createClient();
  const stored = await kept.hgetall("{lockkeeper}:notes:main");
  // As another instance would.
  const other = JSON.stringify({ text: "written elsewhere", by: "operator:mei", at: Date.now() });
  await kept.hset("{lockkeeper}:notes:main", { ...stored, [encodeURIComponent(key)]: other, "": "another" });
  await waitUntil(async () => (await readLock(key)).note?.text === "written elsewhere");
});
