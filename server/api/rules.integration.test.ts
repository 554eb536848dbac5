import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { FORMAT_RULES_MAX } from "../../lib/contract/detection/format-rule.ts";
import { FORMAT_NAMES } from "../../lib/contract/format.ts";
import { encodeKeyPath } from "../../lib/keys/key.ts";
import { startTestServer, type TestServer, waitUntil } from "../../test/support/test-server.ts";

let server: TestServer;
let direct: Redis;

beforeAll(async () => {
  server = await startTestServer({ environment: { LOCKKEEPER_FORMATS: "lock:conf:*=spring" } });
  direct = server.redis.createClient();
});
afterAll(async () => await server.stop());
beforeEach(async () => void (await putRules([])));

const previewRules = (rules: unknown) =>
  server.call("/formats/rules/preview", { method: "POST", body: { rules } });
const putRules = (rules: unknown) => server.call("/formats/rules", { method: "PUT", body: { rules } });

/** A lock that libraries of several kinds write so. */
async function createUuidLock(prefix: string): Promise<string> {
  const key = `lock:${prefix}:${randomUUID()}`;
  await direct.set(key, randomUUID(), "PX", 30_000);
  await waitUntil(async () => (await findListedFormat(key)) !== undefined);
  return key;
}

async function findListedFormat(key: string): Promise<string | undefined> {
  const { body } = await server.call(`/locks?filter=${encodeURIComponent(`key:${key}`)}`);
  return body.items[0]?.format;
}

it("all formats are listed with their properties, and rules with their origin", async () => {
  const { status, body } = await server.call("/formats");
  expect(status).toBe(200);
  expect(body.formats.map(({ name }: { name: string }) => name)).toEqual([...FORMAT_NAMES]);
  expect(body.formats.find(({ name }: { name: string }) => name === "bullmq")).toMatchObject({
    ...{ label: "BullMQ", owner: "unique", spoken: false, renews: { who: "all", afterShare: 0.5 } },
    never: { why: expect.stringContaining("second time") },
  });
  expect(body.rules).toEqual([{ pattern: "lock:conf:*", format: "spring", from: "configuration" }]);
});

it("a rule of the configuration resolves an ambiguous format", async () => {
  const [plain, ruled] = [await createUuidLock("plain"), await createUuidLock("conf")];
  const lockOf = async (key: string) => (await server.call(`/locks/${encodeKeyPath(key)}`)).body;
  expect((await lockOf(plain)).candidates).toContain("spring");
  expect(await lockOf(ruled)).toMatchObject({ format: "spring", candidates: [], confidence: "certain" });
});

it("new rules apply at once to known locks and to keys that were not locks before", async () => {
  const key = await createUuidLock("api");
  const strange = `lock:api:${randomUUID()}`;
  await direct.set(strange, "\x01\x02", "PX", 30_000);
  expect((await server.call(`/locks/${encodeKeyPath(strange)}`)).body.code).toBe("not_a_lock");
  const { status, body } = await putRules([{ pattern: "lock:api:*", format: "redlock-net" }]);
  expect(status).toBe(200);
  expect(body.rules.at(-1)).toEqual({ pattern: "lock:api:*", format: "redlock-net", from: "api" });
  await waitUntil(async () => (await findListedFormat(key)) === "redlock-net", 1500);
  await waitUntil(async () => (await findListedFormat(strange)) === "redlock-net", 1500);
  await putRules([]);
  await waitUntil(async () => (await findListedFormat(key)) !== "redlock-net", 1500);
});

it.each([
  ["a rule with an unknown format", [{ pattern: "a", format: "none" }], /rules\.0\.format/],
  ["a rule with an empty pattern", [{ pattern: "", format: "spring" }], /at least one character/],
  ["a rule with an extra field", [{ pattern: "a", format: "spring", from: "api" }], /rules\.0/],
  ["a rule set that is not a list", "a=spring", /rules/],
  [
    "a rule set with too many rules",
    Array(FORMAT_RULES_MAX + 1).fill({ pattern: "a", format: "spring" }),
    /at most 100/,
  ],
])("%s is rejected and changes nothing", async (_, rules, why) => {
  await putRules([{ pattern: "lock:kept:*", format: "spring" }]);
  const { status, body } = await putRules(rules);
  expect([status, body.code]).toEqual([400, "invalid"]);
  expect(body.detail).toMatch(why);
  expect((await server.call("/formats")).body.rules).toHaveLength(2);
});

it("a preview lists keys whose format would change or that would become locks, and changes nothing", async () => {
  const [one, two] = [await createUuidLock("preview"), await createUuidLock("preview")];
  const strange = `lock:preview:${randomUUID()}`;
  await direct.set(strange, "\x01\x02", "PX", 30_000);
  const before = await findListedFormat(one);
  const rules = [{ pattern: "lock:preview:*", format: "redlock-net" }];
  const { status, body } = await previewRules(rules);
  expect(status).toBe(200);
  expect(body).toMatchObject({ affected: 2, looked: 2, isWhole: true });
  expect(body.changes).toHaveLength(2);
  expect(body.changes[0]).toMatchObject({
    ...{ from: { format: before }, to: { format: "redlock-net", confidence: "certain" }, count: 2 },
    sample: expect.arrayContaining([{ key: one }, { key: two }]),
  });
  expect(body.changes[1]).toMatchObject({
    ...{ from: null, to: { format: "redlock-net" }, count: 1 },
    sample: [{ key: strange }],
  });
  expect((await server.call("/formats")).body.rules).toHaveLength(1);
  expect(await findListedFormat(one)).toBe(before);
  expect((await previewRules([])).body).toMatchObject({ affected: 0, changes: [] });
  await putRules(rules);
  await waitUntil(async () => (await findListedFormat(strange)) === "redlock-net", 1500);
  const back = (await previewRules([])).body;
  expect(back.changes).toContainEqual(expect.objectContaining({ to: null, sample: [{ key: strange }] }));
  expect((await previewRules([{ pattern: "", format: "spring" }])).status).toBe(400);
});

it("a preview omits keys that Redis forbids to read, and reports a forbidden SCAN", async () => {
  await Promise.all([createUuidLock("shut"), createUuidLock("shut")]);
  const rules = [{ pattern: "lock:shut:*", format: "redlock-net" }];
  try {
    await direct.call("ACL", "SETUSER", "default", "resetkeys", "~{lockkeeper}:*", "~lockkeeper:*");
    expect((await previewRules(rules)).body).toMatchObject({ affected: 2, changes: [] });
    await direct.call("ACL", "SETUSER", "default", "allkeys", "-scan");
    const { status, body } = await previewRules(rules);
    expect([status, body.code]).toEqual([503, "unavailable"]);
    expect(body.detail).toMatch(/does not allow it \(NOPERM.*scan.*nothing is changed/s);
  } finally {
    await direct.call("ACL", "SETUSER", "default", "allkeys", "+@all");
  }
});

it("a preview scans a limited number of keys, even if none of them is watched", async () => {
  const each = (command: string) => direct.eval(`for n = 1, 60000 do redis.call(${command}) end`, 0);
  await direct.del("lock:none", ...(await direct.keys("lock:*")));
  await each("'SET', 'other:' .. n, ''");
  const { body } = await previewRules([{ pattern: "lock:none:*", format: "spring" }]);
  await each("'DEL', 'other:' .. n");
  expect(body.isWhole).toBe(false);
  expect(body.scanned).toBeLessThan(45_000);
});

it("format rules are neither readable nor writable without credentials", async () => {
  const headers = { authorization: "Bearer wrong" };
  for (const init of [{ headers }, { headers, method: "PUT", body: { rules: [] } }]) {
    const path = init.method === undefined ? "/formats" : "/formats/rules";
    expect((await server.call(path, init)).status).toBe(401);
  }
});
