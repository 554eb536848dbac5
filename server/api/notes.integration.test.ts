import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestRedis, type TestRedis } from "../../test/support/test-redis.ts";
import { ROOT_KEY, startTestServer, type TestServer, until } from "../../test/support/test-server.ts";

let home: TestRedis;
let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  home = await startTestRedis();
  server = await startTestServer({
    file: (url) => ({ home: home.url, targets: [{ name: "main", redis: url, readOnly: true }] }),
  });
  direct = server.redis.client();
});
afterAll(async () => {
  await server.stop();
  await home.stop();
});

const lockOf = async (key: string) => (await server.call(`/locks/${key}`)).body;
const note = (key: string, body: object) => server.call(`/locks/${key}/note`, { body });

async function held(): Promise<string> {
  const key = `lock:${randomUUID()}`;
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  await until(async () => (await server.call(`/locks?filter=key:${key}`)).body.total === 1);
  return key;
}

it("a note on a hold ends with it, a note on a key stays, and the target is not written to", async () => {
  const key = await held();
  const { version } = await lockOf(key);
  const text = '<b>mei</b> looks into it\n"soon"';
  const { status, body } = await note(key, { note: ` ${text} `, expect: version });
  expect([status, body.note]).toMatchObject([200, { text, by: "key:root", about: "hold" }]);
  expect((await lockOf(key)).note).toEqual(body.note);
  const { items } = (await server.call(`/locks?filter=key:${key}`)).body;
  expect(items[0].note).toEqual(body.note);
  await direct.del(key);
  await until(async () => (await lockOf(key)).note === undefined);
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  await until(async () => (await lockOf(key)).state === "held");
  expect((await lockOf(key)).note).toBeUndefined();
  expect((await note(key, { note: "late", expect: version })).body.code).toBe("changed");
  await note(key, { note: "ask first" });
  await direct.del(key);
  await until(async () => (await lockOf(key)).state === "free");
  expect((await lockOf(key)).note).toMatchObject({ text: "ask first", about: "key" });
  expect((await note(key, { note: "x", expect: version })).body.code).toBe("lost");
  expect((await note(key, { note: "" })).body.note).toBeNull();
  expect((await lockOf(key)).note).toBeUndefined();
  expect(await direct.keys("*lockkeeper*")).toEqual([]);
  for (const bad of ["\u0000", "a\u001b[31m", "x".repeat(501)])
    expect((await note(key, { note: bad })).body.code).toBe("invalid");
});

it("a note on a hold outside the lock index is returned and shown", async () => {
  const key = `elsewhere:${randomUUID()}`;
  await direct.multi().hset(key, `${randomUUID()}:7`, 1).pexpire(key, 60_000).exec();
  const { version } = await lockOf(key);
  const { body } = await note(key, { note: "found by chance", expect: version });
  expect(body.note).toMatchObject({ text: "found by chance", about: "hold" });
  expect((await lockOf(key)).note).toEqual(body.note);
});

it("a new note is pushed to open pages and visible on other instances", async () => {
  const key = await held();
  const stopped = new AbortController();
  const response = await fetch(`${server.url}/api/v1/live?filter=${key}&lock=${key}`, {
    headers: { authorization: `Bearer ${ROOT_KEY}` },
    signal: stopped.signal,
  });
  let told = "";
  const reading = (async () => {
    for await (const chunk of response.body ?? []) told += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await until(() => told.includes("event: lock") && told.includes("event: window"));
  told = "";
  await note(key, { note: "written here" });
  await until(() => told.split("written here").length - 1 === 2);
  stopped.abort();
  await reading;
  const kept = home.client();
  const stored = await kept.hgetall("{lockkeeper}:notes:main");
  // As another instance would.
  const other = JSON.stringify({ text: "written elsewhere", by: "operator:mei", at: Date.now() });
  await kept.hset("{lockkeeper}:notes:main", { ...stored, [encodeURIComponent(key)]: other, "": "another" });
  await until(async () => (await lockOf(key)).note?.text === "written elsewhere");
});
