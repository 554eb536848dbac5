import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { AuditItem, AuditPage, AuditVerification } from "../../../lib/contract/audit.ts";
import { PATTERN_CHARACTERS_MAX } from "../../../lib/contract/detection/format-rule.ts";
import { API_KEY_PATTERNS_MAX } from "../../../lib/contract/limits.ts";
import { AUDIT_STREAM, readAuditEntries } from "../../../test/support/audit-entries.ts";
import { runAuditVerify } from "../../../test/support/audit-verify.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { TestBrowser } from "../../../test/support/test-browser.ts";
import { createRedissonOwner, createTestKey } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { countOpenStreams } from "../../../test/support/test-stream.ts";
import { formatChainReport } from "../../history/audit/chain-report.ts";
import { verifyExportFile } from "../../history/audit/verify-chain.ts";

const it = serverTest({ hasOwnHome: true })
  .extend("home", { scope: "file" }, ({ server }) => server.home.createClient())
  .extend("dir", { scope: "file" }, async ({}, { onCleanup }) => {
    const dir = await mkdtemp(join(tmpdir(), "lockkeeper-audit-"));
    onCleanup(() => rm(dir, { recursive: true }));
    return dir;
  })
  .extend("acquireLock", { scope: "file" }, ({ server, direct }) => async (key = createTestKey()) => {
    await direct.hset(key, createRedissonOwner(), 1);
    await direct.pexpire(key, 60_000);
    const { version, holders } = await server.readLock(key);
    return { key, version: version as string, owner: holders[0].owner as string };
  })
  .extend("readAudit", { scope: "file" }, ({ server }) => async (query = "") => {
    return (await server.call(`/audit?${query}`)).body as AuditPage;
  });

async function runVerify(file: string, noted?: string) {
  const { lines, isWhole } = formatChainReport(await verifyExportFile(file, noted), "file", noted);
  return { isWhole, text: lines.join("\n") };
}

it("a force-release is audited before and after it, with who, from where, what was seen and why", async ({
  server,
  home,
  acquireLock,
}) => {
  const { key, version, owner } = await acquireLock();
  const agent = `curl/8 ${"x".repeat(500)}`;
  const freed = await server.callVerb(
    key,
    "force-release",
    { expectedVersion: version, reason: "its worker\nis gone" },
    { "user-agent": agent },
  );
  expect(freed.body.outcome).toBe("released");
  const requestId = freed.headers.get("x-request-id");
  const ours = async () => (await readAuditEntries(home)).filter((entry) => "id" in entry);
  await waitUntil(async () => (await ours()).some(({ kind }) => kind === "outcome"));
  const [intent, outcome] = await ours();
  expect(intent).toMatchObject({
    ...{
      kind: "intent",
      action: "force_release",
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

it("a refused force-release is audited as refused and releases nothing", async ({
  server,
  direct,
  home,
  acquireLock,
}) => {
  const { key, version } = await acquireLock();
  const other = `${randomUUID()}:9`;
  await direct.del(key);
  await direct.hset(key, other, 1);
  expect(
    (await server.callVerb(key, "force-release", { expectedVersion: version, reason: "stuck" })).body.code,
  ).toBe("changed");
  const outcomes = async () =>
    (await readAuditEntries(home)).flatMap((entry) => (entry.kind === "outcome" ? [entry.outcome] : []));
  await waitUntil(async () => (await outcomes()).some(({ code }) => code === "changed"));
  expect((await outcomes()).find(({ code }) => code === "changed")).toMatchObject({ owner: other });
  expect(await direct.exists(key)).toBe(1);
});

it("the audit lists one item per action, with filters and pages", async ({
  server,
  acquireLock,
  readAudit,
}) => {
  const keys: string[] = [];
  for (const reason of ["pod-7 is gone", "pod-8 is gone", "pod-9 is gone"]) {
    const { key, version } = await acquireLock(`lock:listed:${randomUUID()}`);
    keys.push(key);
    await server.callVerb(key, "force-release", { expectedVersion: version, reason });
  }
  await waitUntil(async () => (await readAudit("key=lock:listed:*&outcome=released")).items.length === 3);
  const { items, head } = await readAudit("key=LOCK:listed:*");
  expect(items.map(({ key }) => key)).toEqual([...keys].reverse());
  const [item] = items as [AuditItem, ...AuditItem[]];
  expect(item.outcome).toMatchObject({ code: "released", number: expect.any(Number) });
  expect(head.number).toBeGreaterThanOrEqual(item.outcome?.number ?? 0);
  const found = async (query: string) =>
    (await readAudit(`key=lock:listed:*&${query}`)).items.map(({ key }) => key);
  expect(await found("text=POD-8+root")).toEqual([keys[1]]);
  expect(await found(`requestId=${items[2]?.requestId}`)).toEqual([keys[0]]);
  expect(await found(`from=${item.at}`)).toContain(keys[2]);
  expect(await found(`to=${(items[2]?.at ?? 0) - 1}`)).toEqual([]);
  expect(await found("who=key:r*&action=reserve,force_release&target=default")).toHaveLength(3);
  for (const query of ["who=operator:*", "action=reserve", "target=other", "outcome=none,changed"])
    expect(await found(query)).toEqual([]);
  const first = await readAudit("key=lock:listed:*&limit=2");
  const second = await readAudit(`key=lock:listed:*&limit=2&cursor=${first.next}`);
  expect([...first.items, ...second.items].map(({ key }) => key)).toEqual([...keys].reverse());
  // The oldest entry records the start of the chain.
  expect((await readAudit()).items.at(-1)).toMatchObject({ number: 1, action: "chain_begun" });
});

it("the audit exports a chain that audit:verify accepts, and CSV without executable cells", async ({
  server,
  dir,
  acquireLock,
  readAudit,
}) => {
  const { key, version } = await acquireLock(`lock:=cmd|' /C calc'!A0,"\u202e${randomUUID()}`);
  await server.callVerb(key, "force-release", { expectedVersion: version, reason: '=HYPERLINK("x")\n-1' });
  await waitUntil(async () => (await readAudit("outcome=none")).items.length === 0);
  const exported = await server.call("/audit/export");
  expect(exported.headers.get("content-type")).toContain("application/x-ndjson");
  const file = join(dir, "audit.jsonl");
  await writeFile(file, exported.body);
  const whole = await runVerify(file);
  expect(whole.isWhole).toBe(true);
  const head = /Head: entry \d+ \((\w+)\)/.exec(whole.text)?.[1] ?? "";
  const lines = exported.body.trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]+$/);
  const middle = Math.floor(lines.length / 2);
  for (const [damaged, found] of [
    [lines.map((line: string) => line.replace("key:root", "key:r00t")), "it was altered"],
    [lines.toSpliced(middle, 1), `BROKEN at entry ${middle + 1}: 1 entry is missing`],
    [[...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)], "BROKEN at entry 3"],
    [lines.slice(0, -1), "its end was cut off"],
    [[...lines, "x"], `line ${lines.length + 1} is not a valid export line`],
  ] as const) {
    await writeFile(file, `${damaged.join("\n")}\n`);
    const { isWhole, text } = await runVerify(file, head);
    expect({ isWhole, text }).toEqual({ isWhole: false, text: expect.stringContaining(found) });
  }
  const csv = (await server.call("/audit/export?format=csv&outcome=released&text=HYPERLINK")).body as string;
  const rows = csv.trimEnd().split("\r\n");
  expect(rows).toHaveLength(2);
  expect(rows[1]).toContain(`"'=HYPERLINK(""x"")\\u{a}-1"`);
  expect(rows[1]).toContain('"lock:=cmd|\' /C calc\'!A0,""\\u{202e}');
  const refused = await server.call("/audit/export?key=lock:*");
  expect([refused.status, refused.body.code, refused.body.field]).toEqual([400, "invalid", "key"]);
}, 60_000);

it("audit:verify claims nothing of a beginning or an end that may have been cut off", async ({
  server,
  dir,
}) => {
  const lines = (await server.call("/audit/export")).body.trimEnd().split("\n") as string[];
  const file = join(dir, "cut.jsonl");
  const verify = async (part: string[], noted?: string) => {
    await writeFile(file, `${part.join("\n")}\n`);
    return await runVerify(file, noted);
  };
  const cut = await verify(lines.slice(2, -1));
  expect(cut.isWhole).toBe(true);
  expect(cut.text).toContain(`Consistent: the hashes of entries 3 to ${lines.length - 1} match.`);
  expect(cut.text).toContain("Not checked: entries 1 to 2.");
  expect(cut.text).toContain("Not checked: whether the end was cut off");
  expect(cut.text).not.toMatch(/whole:|nothing was/i);
  const noted = JSON.parse(lines[4] ?? "").hash;
  const compared = await verify(lines, noted);
  expect(compared.text).toContain("The noted head is entry 5");
  expect(compared.text).toContain(`Not checked: whether entries after ${lines.length} were cut off.`);
});

it("an altered audit entry is found by the API and by audit:verify", async ({ server, home, readAudit }) => {
  await waitUntil(async () => (await readAudit("outcome=none")).items.length === 0);
  const verified = async () => (await server.call("/audit/verify")).body as AuditVerification;
  const { head, state, entries } = await verified();
  expect({ state, entries }).toEqual({ state: "intact", entries: head.number });
  // Redis cannot change a stream entry, so the test recreates the stream with a different word in the second entry.
  const all = await home.xrange(AUDIT_STREAM, "-", "+");
  await home.del(AUDIT_STREAM);
  for (const [id, fields] of all) {
    const altered = id === "2-0" ? fields.map((text) => text.replace("is gone", "was fine")) : fields;
    await home.xadd(AUDIT_STREAM, id, ...altered);
  }
  const environment = { LOCKKEEPER_HOME_URL: server.home.url, REDIS_URL: server.redis.url };
  const broken = await runAuditVerify(["--head", head.hash], environment);
  expect(broken).toEqual({ code: 1, text: expect.stringContaining("BROKEN at entry 2: it was altered") });
  expect(await runAuditVerify(["--head", "x"])).toMatchObject({ code: 2 });
});

it("failed logins are counted with the names that were tried, and stand before the login that succeeded", async ({
  server,
  readAudit,
}) => {
  const browser = new TestBrowser(server);
  const wrong = { name: "me\u0301i", password: "not the password" };
  expect((await browser.logIn(wrong)).status).toBe(401);
  for (let n = 0; n < 20; n++) expect((await browser.logIn({ token: `guess-${n}` })).status).toBe(401);
  const token = (await server.runtime.createLoginLink()) ?? "";
  expect((await browser.logIn({ token })).status).toBe(200);
  expect((await browser.send("/logout", { method: "POST" })).status).toBe(204);
  await waitUntil(async () => (await readAudit("action=login,logout&outcome=done")).items.length === 2);
  const { items } = await readAudit("action=login,logout");
  expect(items.map(({ action, who, count }) => [action, who.id, count])).toEqual([
    ["logout", expect.stringMatching(/^operator:/), undefined],
    ["login", expect.stringMatching(/^operator:/), undefined],
    ["login", "nobody", 20],
    ["login", "nobody", 1],
  ]);
  const [, success, ...refusals] = items;
  for (const { at } of refusals) expect(at).toBeLessThanOrEqual(success?.at ?? 0);
  expect(refusals.map(({ triedNames }) => triedNames)).toEqual([undefined, ["m\u00e9i"]]);
  expect((await readAudit(`action=login&who=${encodeURIComponent("m\u00c9I")}`)).items).toHaveLength(1);
});

it("no action is carried out while the audit cannot be written, and it succeeds once the store is back", async ({
  server,
  direct,
  home,
  acquireLock,
}) => {
  const { key, version } = await acquireLock();
  const before = await direct.hgetall(key);
  server.home.freeze();
  const reserved = createTestKey();
  const answers = await Promise.all([
    server.callVerb(key, "force-release", { expectedVersion: version, reason: "stuck" }),
    server.callVerb(reserved, "reserve", { reservedMs: 5000 }),
  ]);
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([503, "unavailable"]);
    expect(body.detail).toContain("Nothing was done");
  }
  expect(await direct.hgetall(key)).toEqual(before);
  expect(await direct.exists(reserved)).toBe(0);
  server.home.thaw();
  await waitUntil(
    async () =>
      (await server.callVerb(key, "force-release", { expectedVersion: version, reason: "stuck" })).status ===
      200,
    10_000,
  );
  expect(await direct.exists(key)).toBe(0);
  // If the first attempt did reach the store, its entry records that the action was not started.
  const about = async () => {
    const all = await readAuditEntries(home);
    const intents = all.flatMap((entry) => (entry.kind === "intent" && entry.key === key ? [entry.id] : []));
    return all.flatMap((entry) =>
      entry.kind === "outcome" && intents.includes(entry.id) ? [entry.outcome.code] : [],
    );
  };
  await waitUntil(async () => (await about()).includes("released"));
  expect((await about()).filter((code) => code === "released")).toHaveLength(1);
}, 30_000);

it("a rule change is audited with every new rule, however many and long the old ones are", async ({
  server,
  readAudit,
}) => {
  const pad = "x".repeat(PATTERN_CHARACTERS_MAX - 12);
  const old = Array.from({ length: 100 }, (_, n) => ({ pattern: `锁${n}:${pad}`, format: "spring" }));
  const harmful = [...old.slice(0, 50), { pattern: "lock:payments:*", format: "redlock-net" }];
  const put = (rules: unknown) => server.call("/formats/rules", { method: "PUT", body: { rules } });
  expect((await put(old)).status).toBe(200);
  expect((await put(harmful)).status).toBe(200);
  const [entry, previous] = (await readAudit("action=replace_format_rules&limit=2")).items;
  expect(entry?.details?.after).toEqual(harmful);
  expect(entry?.details).toMatchObject({ afterCount: 51, beforeCount: 100 });
  expect(entry?.details?.beforeSha256).toBe(previous?.details?.afterSha256);
  expect(previous?.details?.after).toEqual(old);
  expect((await put([])).status).toBe(200);
});

it("a new API key is audited with all of its targets, keys and verbs", async ({ server, readAudit }) => {
  const keys = Array.from({ length: API_KEY_PATTERNS_MAX }, (_, n) => `lock:${n}:${"x".repeat(200)}:*`);
  const body = { name: `key-${randomUUID().slice(0, 8)}`, verbs: ["read", "force"], keys };
  expect((await server.call("/keys", { body })).status).toBe(201);
  const [entry] = (await readAudit("action=create_api_key&limit=1")).items;
  expect(entry?.details).toMatchObject(body);
});

it("an audit export ends when its client disconnects", async ({ server, home }) => {
  const filler = "x".repeat(8000);
  for (let n = 0; n < 4000; n++) void home.xadd(AUDIT_STREAM, "*", "prev", "", "hash", "", "entry", filler);
  await home.ping();
  const gone = new AbortController();
  const response = await server.fetch("/audit/export", { signal: gone.signal });
  await response.body?.getReader().read();
  const reads = async () => Number(/cmdstat_xrange:calls=(\d+)/.exec(await home.info("commandstats"))?.[1]);
  const before = await reads();
  // While the client reads nothing, the server fetches no more pages than the connection can buffer.
  await expect.poll(async () => (await reads()) - before, { interval: 100 }).toBeLessThan(6);
  gone.abort();
  await waitUntil(async () => (await countOpenStreams(server)) === 0);
  expect((await reads()) - before).toBeLessThan(8);
});
