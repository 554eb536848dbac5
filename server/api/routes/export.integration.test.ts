import { expect } from "vitest";
import { Lock } from "../../../lib/contract/lock.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createBearerHeader, waitUntil } from "../../../test/support/test-server.ts";
import { countOpenStreams } from "../../../test/support/test-stream.ts";

const MANY = 1203;

const it = serverTest({ environment: { LOCKKEEPER_NOTIFICATIONS: "set" } }).extend(
  "readExport",
  { scope: "file" },
  ({ server }) =>
    async (query: string, headers?: Record<string, string>) =>
      await server.call(`/export/locks?${query}`, headers && { headers }),
);

it.beforeAll(async ({ server, direct }) => {
  const many = direct.pipeline();
  for (let n = 0; n < MANY; n++)
    many.set(`lock:many:${String(n).padStart(5, "0")}`, `owner-${n}`, "PX", 600_000);
  await many.exec();
  await server.waitForLocks("key:lock:many:*", MANY);
});

const splitLines = (body: string) => body.trimEnd().split("\n");

it("an export returns all matching locks as JSON lines in the order of the list", async ({
  server,
  readExport,
}) => {
  const { status, headers, body } = await readExport("filter=key:lock:many:*&sort=-key");
  expect([status, headers.get("x-total-count")]).toEqual([200, String(MANY)]);
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="lockkeeper-locks-default.jsonl"');
  const locks = splitLines(body).map((line) => Lock.parse(JSON.parse(line)));
  expect(locks).toHaveLength(MANY);
  expect(locks.map(({ key }) => key)).toEqual(
    locks
      .map(({ key }) => key)
      .sort()
      .reverse(),
  );
  const listed = (await server.call("/locks?filter=key:lock:many:*&sort=-key&limit=1")).body.items[0];
  expect({ ...locks[0], asOf: 0, remainingMs: 0, holders: [], liveness: null }).toEqual({
    ...{ ...listed, asOf: 0, remainingMs: 0, holders: [], liveness: null },
  });
  expect(locks[0]?.holders[0]?.owner).toBe(listed.holders[0].owner);
});

it("a CSV export has no executable cell and no broken line, and marks binary keys", async ({
  server,
  direct,
  readExport,
}) => {
  const key = `lock:bad:=cmd|'/C calc'!A0,"\u202e\n`;
  await direct.set(key, "=HYPERLINK(1)", "PX", 600_000);
  await direct.set(Buffer.from("6c6f636b3a6261643aff", "hex"), "@SUM(1)", "PX", 600_000);
  const filter = "key:lock:bad:*";
  await server.waitForLocks(filter, 2);
  const { headers, body } = await readExport(`filter=${filter}&format=csv&sort=owner`);
  expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [head = "", ...rows] = body.trimEnd().split("\r\n");
  expect(head).toMatch(/^target,key,keyBase64,state,liveness,/);
  expect(rows).toHaveLength(2);
  expect(rows.join()).toContain(`"lock:bad:=cmd|'/C calc'!A0,""\\u{202e}\\u{a}"`);
  expect(rows.join()).toContain(`"'=HYPERLINK(1)"`);
  expect(rows.join()).toContain(`"'@SUM(1)"`);
  expect(rows.join()).toContain(Buffer.from("6c6f636b3a6261643aff", "hex").toString("base64"));
});

it("an export with a limited API key contains only its keys", async ({ server, readExport }) => {
  const { body } = await server.call("/keys", {
    body: { name: "few", verbs: ["read"], targets: ["*"], keys: ["lock:many:0000*"] },
  });
  const all = await readExport("", createBearerHeader(body.secret));
  expect([all.headers.get("x-total-count"), splitLines(all.body).length]).toEqual(["10", 10]);
  expect(all.body).not.toContain("lock:many:0001");
  expect(all.body).not.toContain("lock:bad");
});

it("a lock with the key `export` is still reachable", async ({ server }) => {
  const { status, body } = await server.call("/locks/export");
  expect([status, body.key, body.holders]).toEqual([200, "export", []]);
});

it.for([
  ["filter=held>soon", "held must be compared with a time"],
  ["sort=size", "sort: must be one of"],
  ["format=xml", "Query, format"],
] as const)("an export with %s is rejected before the file begins", async ([query, why], { readExport }) => {
  const { status, body } = await readExport(query);
  expect([status, body.code, body.detail]).toEqual([400, "invalid", expect.stringContaining(why)]);
});

it("an export is sent no faster than it is read and ends when its client disconnects", async ({
  server,
  direct,
}) => {
  const wide = "x".repeat(900);
  const many = direct.pipeline();
  for (let n = 0; n < 6000; n++) many.set(`lock:wide:${n}:${wide}`, `owner-${n}`, "PX", 600_000);
  await many.exec();
  const filter = "filter=key:lock:wide:*";
  await waitUntil(async () => (await server.call(`/locks?limit=1&${filter}`)).body.total === 6000, 15_000);
  const gone = new AbortController();
  const response = await server.fetch(`/export/locks?${filter}`, { signal: gone.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  // The export has about 10 MB, far more than the connection can buffer, so it is still waiting for its reader.
  expect(await countOpenStreams(server)).toBe(1);
  gone.abort();
  await waitUntil(async () => (await countOpenStreams(server)) === 0);
}, 30_000);
