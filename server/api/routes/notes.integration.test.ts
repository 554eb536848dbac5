import { expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner, createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { TestStream } from "../../../test/support/test-stream.ts";

const it = serverTest({
  hasOwnHome: true,
  file: (url) => ({ targets: [{ name: "main", redis: url, readOnly: true }] }),
})
  .extend("sendNote", { scope: "file" }, ({ server }) => async (key: string, body: object) => {
    return await server.callVerb(key, "note", body);
  })
  .extend("acquireLock", { scope: "file" }, ({ server, direct }) => async () => {
    const key = createTestKey();
    await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 60_000).exec();
    await server.waitForLocks(`key:${key}`);
    return key;
  });

it("a note on a hold ends with it, a note on a key stays, and the target is not written to", async ({
  server,
  direct,
  sendNote,
  acquireLock,
}) => {
  const key = await acquireLock();
  const { version } = await server.readLock(key);
  const text = '<b>mei</b> looks into it\n"soon"';
  const { status, body } = await sendNote(key, { note: ` ${text} `, expectedVersion: version });
  expect([status, body.note]).toMatchObject([200, { text, by: "key:root", about: "hold" }]);
  expect((await server.readLock(key)).note).toEqual(body.note);
  const { items } = (await server.call(`/locks?filter=key:${key}`)).body;
  expect(items[0].note).toEqual(body.note);
  await direct.del(key);
  await waitUntil(async () => (await server.readLock(key)).note === undefined);
  await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 60_000).exec();
  await waitUntil(async () => (await server.readLock(key)).state === "held");
  expect((await server.readLock(key)).note).toBeUndefined();
  expect((await sendNote(key, { note: "late", expectedVersion: version })).body.code).toBe("changed");
  await sendNote(key, { note: "ask first" });
  await direct.del(key);
  await waitUntil(async () => (await server.readLock(key)).state === "free");
  expect((await server.readLock(key)).note).toMatchObject({ text: "ask first", about: "key" });
  expect((await sendNote(key, { note: "x", expectedVersion: version })).body.code).toBe("lost");
  expect((await sendNote(key, { note: "" })).body.note).toBeNull();
  expect((await server.readLock(key)).note).toBeUndefined();
  expect(await direct.keys("*lockkeeper*")).toEqual([]);
  for (const bad of ["\u0000", "a\u001b[31m", "x".repeat(501)])
    expect((await sendNote(key, { note: bad })).body.code).toBe("invalid");
});

it("a note on a hold outside the lock index is returned and shown", async ({ server, direct, sendNote }) => {
  const key = createTestKey("elsewhere");
  await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 60_000).exec();
  const { version } = await server.readLock(key);
  const { body } = await sendNote(key, { note: "found by chance", expectedVersion: version });
  expect(body.note).toMatchObject({ text: "found by chance", about: "hold" });
  expect((await server.readLock(key)).note).toEqual(body.note);
});

it("a new note is pushed to open pages and visible on other instances", async ({
  server,
  sendNote,
  acquireLock,
}) => {
  const key = await acquireLock();
  const stream = await TestStream.open(server, `/live?filter=${key}&lock=${key}`);
  await waitUntil(() => stream.text.includes("event: lock") && stream.text.includes("event: window"));
  await sendNote(key, { note: "written here" });
  await waitUntil(() => stream.text.split("written here").length - 1 === 2);
  stream.leave();
  const kept = server.home.createClient();
  const stored = await kept.hgetall("{lockkeeper}:notes:main");
  // Writes a note as another instance would.
  const other = JSON.stringify({ text: "written elsewhere", by: "operator:mei", at: Date.now() });
  await kept.hset("{lockkeeper}:notes:main", { ...stored, [encodeURIComponent(key)]: other, "": "another" });
  await waitUntil(async () => (await server.readLock(key)).note?.text === "written elsewhere");
});
