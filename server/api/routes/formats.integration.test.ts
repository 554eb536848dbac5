import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { FORMAT_RULES_MAX } from "../../../lib/contract/detection/format-rule.ts";
import { FORMAT_NAMES } from "../../../lib/contract/format.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";

const it = serverTest({ environment: { LOCKKEEPER_FORMATS: "lock:conf:*=spring" } })
  .extend("previewRules", { scope: "file" }, ({ server }) => async (rules: unknown) => {
    return await server.call("/formats/rules/preview", { body: { rules } });
  })
  .extend("putRules", { scope: "file" }, ({ server }) => async (rules: unknown) => {
    return await server.call("/formats/rules", { method: "PUT", body: { rules } });
  })
  .extend("findListedFormat", { scope: "file" }, ({ server }) => async (key: string) => {
    const { body } = await server.callUntilAvailable(`/locks?filter=${encodeURIComponent(`key:${key}`)}`);
    return body.items[0]?.format as string | undefined;
  })
  // Creates a lock with a UUID as its value, which several libraries store in the same way.
  .extend("createUuidLock", { scope: "file" }, ({ server, direct }) => async (prefix: string) => {
    const key = createTestKey(`lock:${prefix}`);
    await direct.set(key, randomUUID(), "PX", 30_000);
    await server.waitForLocks(`key:${key}`);
    return key;
  });

it.beforeEach(async ({ putRules }) => void (await putRules([])));

it("all formats are listed with their properties, and rules with their origin", async ({ server }) => {
  const { status, body } = await server.call("/formats");
  expect(status).toBe(200);
  expect(body.formats.map(({ name }: { name: string }) => name)).toEqual([...FORMAT_NAMES]);
  expect(body.formats.find(({ name }: { name: string }) => name === "bullmq")).toMatchObject({
    ...{ label: "BullMQ", owner: "unique", spoken: false, renews: { who: "all", afterShare: 0.5 } },
    never: { why: expect.stringContaining("in parallel") },
  });
  expect(body.rules).toEqual([{ pattern: "lock:conf:*", format: "spring", from: "configuration" }]);
});

it("a rule of the configuration resolves an ambiguous format", async ({ server, createUuidLock }) => {
  const [plain, ruled] = [await createUuidLock("plain"), await createUuidLock("conf")];
  expect((await server.readLock(plain)).candidates).toContain("spring");
  expect(await server.readLock(ruled)).toMatchObject({
    format: "spring",
    candidates: [],
    confidence: "certain",
  });
});

it("new rules apply at once to known locks and to keys that were not locks before", async ({
  server,
  direct,
  putRules,
  findListedFormat,
  createUuidLock,
}) => {
  const key = await createUuidLock("api");
  const strange = createTestKey("lock:set");
  await direct.sadd(strange, "a member");
  expect((await server.readLock(strange)).code).toBe("not_a_lock");
  const { status, body } = await putRules([
    { pattern: "lock:set:*", format: "medallion" },
    { pattern: "lock:api:*", format: "redlock-net" },
  ]);
  expect(status).toBe(200);
  expect(body.rules.at(-1)).toEqual({ pattern: "lock:api:*", format: "redlock-net", from: "api" });
  await waitUntil(async () => (await findListedFormat(key)) === "redlock-net");
  await waitUntil(async () => (await findListedFormat(strange)) === "medallion");
  await putRules([]);
  await waitUntil(async () => (await findListedFormat(key)) !== "redlock-net");
});

it("a change applies on the other instance too, whose audit entries have the rules that it replaces", async ({
  server,
  other,
  direct,
  putRules,
}) => {
  const key = createTestKey("lock:shared");
  await direct.sadd(key, "a member");
  const [first, second] = [
    { pattern: "lock:shared:*", format: "medallion" },
    { pattern: "lock:shared:*", format: "spring" },
  ];
  await putRules([first]);
  await waitUntil(async () => (await other.readLock(key)).format === "medallion");
  await putRules([second]);
  // The other instance has usually not polled since.
  await other.call("/formats/rules", { method: "PUT", body: { rules: [] } });
  const { items } = (await server.call("/audit?action=replace_format_rules&limit=1")).body;
  expect(items[0].details).toMatchObject({ before: [second], after: [] });
  await waitUntil(async () => (await server.call("/formats")).body.rules.length === 1);
});

it("overlapping changes are all made, and each audit entry has the rules that its change replaced", async ({
  server,
  other,
}) => {
  const replace = ({ call }: typeof server, pattern: string) =>
    call("/formats/rules", { method: "PUT", body: { rules: [{ pattern, format: "spring" }] } });
  const calls = ["a", "b", "c", "c"].flatMap((name) => [replace(server, name), replace(other, name)]);
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  const readChanges = async () => {
    const { body } = await server.call("/audit?action=replace_format_rules&outcome=done&limit=8");
    return body.items.map(({ details }: { details: unknown }) => details) as Record<string, unknown>[];
  };
  // Outcomes are written shortly after the responses.
  await waitUntil(async () => (await readChanges()).every(({ afterCount }) => afterCount === 1));
  const changes = await readChanges();
  for (const [index, { beforeSha256 }] of changes.slice(0, -1).entries())
    expect(beforeSha256).toBe(changes[index + 1]?.afterSha256);
});

it.for([
  ["a rule with an unknown format", [{ pattern: "a", format: "none" }], /rules\.0\.format/],
  ["a rule with an empty pattern", [{ pattern: "", format: "spring" }], /at least one character/],
  ["a rule with an extra field", [{ pattern: "a", format: "spring", from: "api" }], /rules\.0/],
  ["a rule set that is not a list", "a=spring", /rules/],
  [
    "a rule set with too many rules",
    Array(FORMAT_RULES_MAX + 1).fill({ pattern: "a", format: "spring" }),
    /at most 100/,
  ],
] as const)("%s is rejected and changes nothing", async ([_, rules, why], { server, putRules }) => {
  await putRules([{ pattern: "lock:kept:*", format: "spring" }]);
  const { status, body } = await putRules(rules);
  expect([status, body.code]).toEqual([400, "invalid"]);
  expect(body.detail).toMatch(why);
  expect((await server.call("/formats")).body.rules).toHaveLength(2);
});

it("a preview lists keys whose format would change or that would become locks, and changes nothing", async ({
  server,
  direct,
  previewRules,
  putRules,
  findListedFormat,
  createUuidLock,
}) => {
  const [one, two] = [await createUuidLock("preview"), await createUuidLock("preview")];
  const strange = createTestKey("lock:set");
  await direct.sadd(strange, "a member");
  const before = await findListedFormat(one);
  const rules = [
    { pattern: "lock:preview:*", format: "redlock-net" },
    { pattern: strange, format: "medallion" },
  ];
  const { status, body } = await previewRules(rules);
  expect(status).toBe(200);
  expect(body).toMatchObject({ affected: 2, readCount: 2, isWhole: true });
  expect(body.changes).toHaveLength(2);
  expect(body.changes[0]).toMatchObject({
    ...{ from: { format: before }, to: { format: "redlock-net", confidence: "certain" }, count: 2 },
    sample: expect.arrayContaining([{ key: one }, { key: two }]),
  });
  expect(body.changes[1]).toMatchObject({
    ...{ from: null, to: { format: "medallion" }, count: 1 },
    sample: [{ key: strange }],
  });
  expect((await server.call("/formats")).body.rules).toHaveLength(1);
  expect(await findListedFormat(one)).toBe(before);
  expect((await previewRules([])).body).toMatchObject({ affected: 0, changes: [] });
  await putRules(rules);
  await waitUntil(async () => (await findListedFormat(strange)) === "medallion");
  const back = (await previewRules([])).body;
  expect(back.changes).toContainEqual(expect.objectContaining({ to: null, sample: [{ key: strange }] }));
  expect((await previewRules([{ pattern: "", format: "spring" }])).status).toBe(400);
});

it("a preview omits keys that Redis forbids to read, and reports a forbidden SCAN", async ({
  direct,
  previewRules,
  createUuidLock,
}) => {
  await Promise.all([createUuidLock("shut"), createUuidLock("shut")]);
  const rules = [{ pattern: "lock:shut:*", format: "redlock-net" }];
  try {
    await direct.call("ACL", "SETUSER", "default", "resetkeys", "~{lockkeeper}:*", "~lockkeeper:*");
    expect((await previewRules(rules)).body).toMatchObject({ affected: 2, changes: [] });
    await direct.call("ACL", "SETUSER", "default", "allkeys", "-scan");
    const { status, body } = await previewRules(rules);
    expect([status, body.code]).toEqual([503, "unavailable"]);
    expect(body.detail).toMatch(/lacks a right \(NOPERM.*scan.*Nothing was changed/s);
  } finally {
    await direct.call("ACL", "SETUSER", "default", "allkeys", "+@all");
  }
});

it("a preview scans a limited number of keys, even if none of them is watched", async ({
  direct,
  previewRules,
}) => {
  const each = (command: string) => direct.eval(`for n = 1, 60000 do redis.call(${command}) end`, 0);
  await direct.del("lock:none", ...(await direct.keys("lock:*")));
  await each("'SET', 'other:' .. n, ''");
  const { body } = await previewRules([{ pattern: "lock:none:*", format: "spring" }]);
  await each("'DEL', 'other:' .. n");
  expect(body.isWhole).toBe(false);
  expect(body.scanned).toBeLessThan(45_000);
});

it("format rules are neither readable nor writable without credentials", async ({ server }) => {
  const headers = { authorization: "Bearer wrong" };
  for (const init of [{ headers }, { headers, method: "PUT", body: { rules: [] } }]) {
    const path = init.method === undefined ? "/formats" : "/formats/rules";
    expect((await server.call(path, init)).status).toBe(401);
  }
});
