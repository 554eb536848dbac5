import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { describe, expect } from "vitest";
import { BulkLine } from "../../../lib/contract/actions/bulk-release.ts";
import type { Hold } from "../../../lib/contract/actions/verb.ts";
import { decodeKey } from "../../../lib/keys/key.ts";
import { formatExactTerm } from "../../../lib/query/filter.ts";
import { readAuditEntries } from "../../../test/support/audit-entries.ts";
import { serverTest } from "../../../test/support/fixtures.ts";
import { createRedissonOwner, sleepMs } from "../../../test/support/test-locks.ts";
import {
  createBearerHeader,
  ROOT_KEY,
  startTestServer,
  waitUntil,
} from "../../../test/support/test-server.ts";

const ADDRESS = "/locks/force-release";
const reason = "its node is gone";

// biome-ignore lint/suspicious/noExplicitAny: tests look into lines of every shape.
type Line = any;

function parseLines(text: string): Line[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => BulkLine.parse(JSON.parse(line)));
}

const getItems = (lines: Line[]) => lines.map(({ item }) => item);

const it = serverTest({
  file: (url) => ({
    targets: [
      { name: "main", redis: `${url}/0`, watch: ["lock:*", "bull:*", "app:*"] },
      { name: "prod", redis: `${url}/1`, environment: "production" },
    ],
  }),
})
  .extend("sendBulk", { scope: "file" }, ({ server }) => async (body: object, query = "") => {
    const { status, body: said } = await server.call(`${ADDRESS}${query}`, { body });
    const lines = status === 200 ? parseLines(said) : [];
    const items: Line[] = lines.filter(({ type }) => type === "item").toSorted((a, b) => a.index - b.index);
    return { status, said, lines, items, outcomes: items.map(({ outcome }) => outcome), tally: lines.at(-1) };
  })
  .extend(
    "sendReview",
    { scope: "file" },
    ({ sendBulk }) =>
      async (filter: string, more: object = {}, query = "") =>
        await sendBulk({ filter, dryRun: true, ...more }, query),
  )
  .extend("holds", { scope: "file" }, () => new Map<string, Hold>())
  // Acquires `count` locks through the API, all with the same owner.
  .extend(
    "acquireLocks",
    { scope: "file" },
    ({ server, holds }) =>
      async (name: string, count: number, owner: string) => {
        const keys = Array.from({ length: count }, (_, n) => `lock:${name}:${String(n).padStart(4, "0")}`);
        for (let at = 0; at < keys.length; at += 100) {
          const some = keys.slice(at, at + 100);
          await Promise.all(
            some.map(async (key) => {
              holds.set(key, await server.acquire(key, { owner, leaseMs: 600_000 }));
            }),
          );
        }
        await server.waitForLocks(`key:lock:${name}:*`, count);
        return keys;
      },
  )
  .extend(
    "readEntries",
    { scope: "file" },
    ({ direct }) =>
      (): Promise<Line[]> =>
        readAuditEntries(direct),
  );

it.beforeAll(async ({ server }) => {
  for (const target of ["main", "prod"])
    await waitUntil(async () => (await server.call(`/stats?target=${target}`)).status === 200);
});

const HOSTILE = 'a "b" \\ owner:* key:lock:*\n~x';

describe("bulk release by filter", () => {
  it("a bulk release by owner is reviewed first and releases exactly those locks, whatever the owner", async ({
    server,
    direct,
    sendBulk,
    sendReview,
    acquireLocks,
  }) => {
    const name = randomUUID();
    const owner = `${HOSTILE.replace("\n", " ")} ${name}`;
    const keys = await acquireLocks(name, 5, owner);
    await acquireLocks(`${name}:other`, 2, `${owner}!`);
    const review = await sendReview(formatExactTerm("owner", owner), { sort: "key" });
    expect(review.lines[0]).toMatchObject({ type: "head", target: "main", dryRun: true, total: 5, found: 5 });
    expect(review.outcomes).toEqual(Array(5).fill("would_release"));
    const reviewItems = review.lines.filter(({ type }) => type === "item");
    expect(reviewItems.map(({ item }) => item.key)).toEqual(keys);
    expect(review.items[0].seen).toMatchObject({ holders: [{ owner }], others: 0, format: "redisson" });
    expect(await direct.exists(...keys)).toBe(5);
    const freed = await sendBulk({ items: getItems(review.items), reason });
    expect(freed.tally).toEqual({ type: "tally", total: 5, outcomes: { released: 5 } });
    expect(freed.items[0].result).toMatchObject({ key: keys[0], owner, by: "key:root" });
    expect(await direct.exists(...keys)).toBe(0);
    expect((await server.call(`/locks?filter=key:lock:${name}:other:*`)).body.total).toBe(2);
    const history = (await server.call(`/locks/${keys[0]}/history`)).body.items;
    expect(history.find(({ type }: Line) => type === "force_released")).toMatchObject({ reason, owner });
  });

  it("a bulk release by owner releases only that owner's part of a shared lock", async ({
    server,
    direct,
    key,
    sendBulk,
    sendReview,
  }) => {
    const owners = [1, 2, 3].map(() => `web-1_4711_${randomBytes(16).toString("hex")}`) as [
      string,
      ...string[],
    ];
    const all = direct.multi();
    for (const owner of owners) all.zadd(key, Date.now() + 30_000, owner);
    await all.pexpire(key, 90_000).exec();
    await server.waitForLocks(`key:${key}`, 1);
    const { items } = await sendReview(formatExactTerm("owner", owners[0]));
    expect(items).toMatchObject([{ item: { key }, outcome: "would_release", seen: { others: 2 } }]);
    expect((await sendBulk({ items: getItems(items), reason })).outcomes).toEqual(["released"]);
    expect((await direct.zrange(key, "0", "-1")).sort()).toEqual(owners.slice(1).sort());
  });

  it("locks for a bulk release are found by held and remaining time", async ({
    server,
    sendBulk,
    sendReview,
    acquireLocks,
  }) => {
    const [name, owner] = [randomUUID(), randomUUID()];
    const [first] = await acquireLocks(name, 1, owner);
    const second = `lock:${name}:longer`;
    await server.reenter(await server.acquire(second, { owner, leaseMs: 3_600_000 }));
    await server.waitForLocks(`key:lock:${name}:* remaining>15m`, 1);
    const keysOf = async (filter: string) =>
      getItems((await sendReview(`key:lock:${name}:* ${filter}`)).items).map(({ key }) => key);
    expect(await keysOf("remaining<15m held<1h")).toEqual([first]);
    expect(await keysOf("held>1h")).toEqual([]);
    await server.waitForLocks(`key:lock:${name}:* held>100ms`, 2);
    expect(await keysOf("held>100ms count>1")).toEqual([second]);
    const refused = await sendBulk({ filter: "remaining<soon", dryRun: true });
    expect([refused.status, refused.said.code]).toEqual([400, "invalid"]);
  });

  it("locks with a binary owner are found by the bytes of the owner", async ({
    server,
    direct,
    sendReview,
  }) => {
    const rules = [{ pattern: "app:bytes:*", format: "token" }];
    await server.call("/formats/rules", { method: "PUT", body: { rules } });
    const [key, other] = [`app:bytes:${randomUUID()}`, `app:bytes:${randomUUID()}`];
    const bytes = Buffer.concat([randomBytes(15), Buffer.of(255)]);
    await direct.set(key, bytes, "PX", 60_000);
    await direct.set(other, Buffer.concat([bytes.subarray(0, 15), Buffer.of(254)]), "PX", 60_000);
    await server.waitForLocks(`key:${key}`, 1);
    const { items } = await sendReview(formatExactTerm("owner", decodeKey(bytes)));
    expect(items.map(({ item }) => item.key)).toEqual([key]);
  });
});

describe("bulk release items", () => {
  it("a bulk item that changed, ended or is not releasable is reported and left alone", async ({
    server,
    direct,
    sendBulk,
    sendReview,
    holds,
    acquireLocks,
  }) => {
    const name = randomUUID();
    const [a, b, c] = (await acquireLocks(name, 3, "w1")) as [string, string, string];
    const [possible, job, none] = [`lock:${name}:possible`, `bull:q:${name}:lock`, `lock:${name}:none`];
    await direct.set(possible, "worker-7", "PX", 60_000);
    await direct.hset(`bull:q:${name}`, "name", "mail", "data", "{}", "timestamp", 1, "opts", "{}");
    await direct.set(job, `${randomUUID()}:3`, "PX", 30_000);
    await server.waitForLocks(name, 5);
    const review = (await sendReview(name, { sort: "key" })).items;
    const outcomeOf = (lines: Line[], key: string) => lines.find(({ item }) => item.key === key)?.outcome;
    expect([possible, job].map((key) => outcomeOf(review, key))).toEqual(["format_required", "read_only"]);
    const refused = review.find(({ item }) => item.key === job);
    expect(refused.problem).toMatchObject({ code: "read_only", why: expect.any(String) });

    for (const key of [b, c]) await server.callHold(holds.get(key) ?? { holdId: "none" }, "release");
    await server.callVerb(c, "acquire", { owner: "w1", leaseMs: 60_000 });
    await direct.sadd(none, "x");
    const items = [...getItems(review), { key: none, expectedVersion: "fence.1" }];
    const dry = await sendBulk({ items, dryRun: true });
    const expected = { [a]: "released", [b]: "already_gone", [c]: "changed", [none]: "failed" };
    for (const [key, outcome] of Object.entries(expected)) {
      expect([key, outcomeOf(dry.items, key)]).toEqual([key, outcome.replace("released", "would_release")]);
    }
    expect(await direct.exists(a)).toBe(1);
    const { items: freed, tally } = await sendBulk({ items, reason });
    for (const [key, outcome] of Object.entries(expected)) {
      expect([key, outcomeOf(freed, key)]).toEqual([key, outcome]);
    }
    expect(tally.outcomes).toEqual({
      ...{ released: 1, already_gone: 1, changed: 1, failed: 1, format_required: 1, read_only: 1 },
    });
    expect(await direct.exists(a, c, possible, job, none)).toBe(4);
  });

  it("a bulk item that was not watched throughout is unverified and released only on request", async ({
    server,
    direct,
    key,
    sendBulk,
    sendReview,
  }) => {
    await direct.multi().hset(key, createRedissonOwner(), 1).pexpire(key, 60_000).exec();
    await server.waitForLocks(`key:${key}`, 1);
    const { items } = await sendReview(`key:${key}`);
    // Changes the version to one that another Lockkeeper process would have returned for the hold.
    const [item] = getItems(items).map((each) => ({
      ...each,
      expectedVersion: each.expectedVersion.replace(/^seen\.[^.]+/, "seen.x"),
    }));
    expect((await sendBulk({ items: [item], dryRun: true })).outcomes).toEqual(["unverified"]);
    const { items: refused } = await sendBulk({ items: [item], reason });
    expect(refused).toMatchObject([
      { outcome: "unverified", problem: { code: "unverified", version: items[0].item.expectedVersion } },
    ]);
    expect((await sendBulk({ items: [item], reason, onUnverified: "release" })).outcomes).toEqual([
      "released",
    ]);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a bulk item is authorized by its key, and a limited API key neither sees nor releases others", async ({
    server,
    direct,
    sendReview,
  }) => {
    const name = randomUUID();
    const [mine, theirs] = [`lock:${name}:mine`, `lock:${name}:theirs`];
    for (const key of [mine, theirs]) await server.callVerb(key, "acquire", { owner: "w1", leaseMs: 60_000 });
    await server.waitForLocks(`key:lock:${name}:*`, 2);
    const keys = [`lock:${name}:m*`];
    const made = await server.call("/keys", { body: { name, verbs: ["read", "force"], keys } });
    const headers = createBearerHeader(made.body.secret);
    const call = async (body: object) => {
      const { status, body: said } = await server.call(ADDRESS, { body, headers });
      return { status, lines: status === 200 ? parseLines(said) : [] };
    };
    const { lines } = await call({ filter: name, dryRun: true });
    expect(lines[0]).toMatchObject({ total: 1, found: 1 });
    const owners = await server.call(`/owners?filter=${name}`, { headers });
    expect(owners.body.items).toMatchObject([{ name: "w1", holds: 1 }]);
    const all = getItems((await sendReview(name, { sort: "key" })).items);
    const outcomes = (found: Line[]) =>
      Object.fromEntries(found.flatMap(({ item, outcome }) => (item ? [[item.key, outcome]] : [])));
    const dry = (await call({ items: all, dryRun: true })).lines;
    expect(outcomes(dry)).toEqual({ [mine]: "would_release", [theirs]: "forbidden" });
    expect(dry.find(({ outcome }) => outcome === "forbidden")).not.toHaveProperty("seen");
    expect(outcomes((await call({ items: all, reason })).lines)).toEqual({
      [mine]: "released",
      [theirs]: "forbidden",
    });
    expect(await direct.exists(mine, theirs)).toBe(1);
  });

  it("a bulk release reserves the locks on request", async ({
    direct,
    sendBulk,
    sendReview,
    acquireLocks,
  }) => {
    const keys = await acquireLocks(randomUUID(), 2, "w1");
    const { items } = await sendReview(`key:${keys[0]?.slice(0, -4)}*`);
    const { outcomes } = await sendBulk({ items: getItems(items), reason, reservedMs: 60_000 });
    expect(outcomes).toEqual(["released", "released"]);
    expect(await direct.hkeys(keys[0] ?? "")).toEqual(["lockkeeper:reserve:key:root"]);
  });

  it("bulk results stream as they happen, and pending items are dropped when the client disconnects", async ({
    server,
    direct,
    sendReview,
    acquireLocks,
    readEntries,
  }) => {
    const name = randomUUID();
    const keys = await acquireLocks(name, 400, "w1");
    const { items } = await sendReview(`key:lock:${name}:*`, { limit: 1000 });
    const leaving = new AbortController();
    const response = await server.fetch(ADDRESS, {
      body: { items: getItems(items), reason },
      signal: leaving.signal,
    });
    expect(response.headers.get("content-type")).toContain("application/x-ndjson");
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    const left = async () => await direct.exists(...keys);
    // Waits until the number of held locks stays the same, which means that no further items are started.
    let before = -1;
    await waitUntil(async () => {
      const now = await left();
      const stands = now === before;
      before = now;
      await sleepMs(100);
      return stands;
    });
    expect(before).toBeGreaterThan(0);
    // Every lock that exists in Redis is also listed as held, so no item was only partly released.
    const { body } = await server.call(`/locks?filter=key:lock:${name}:*`);
    expect(body.total).toBe(before);
    const requestId = response.headers.get("x-request-id");
    const said = async () => (await readEntries()).filter((entry) => entry.requestId === requestId);
    const cancelled = async () => (await readEntries()).find(({ outcome }) => outcome?.code === "cancelled");
    await waitUntil(async () => (await cancelled()) !== undefined);
    const freed = keys.length - before;
    expect((await cancelled()).outcome.details).toMatchObject({ begun: freed, notBegun: before });
    expect((await said()).filter(({ action }) => action === "force_release")).toHaveLength(freed);
  });
});

it("a client that leaves before the bulk response begins is audited as cancelled with nothing begun", async ({
  server,
  direct,
  sendReview,
  acquireLocks,
  readEntries,
}) => {
  const [key = ""] = await acquireLocks(randomUUID(), 1, "w1");
  const { items } = await sendReview(`key:${key}`);
  const text = JSON.stringify({ items: getItems(items), reason: `left ${key}` });
  const isHeldUp = async () => /name=lockkeeper:home .*flags=\S*b/.test(String(await direct.client("LIST")));
  await direct.call("CLIENT", "PAUSE", "5000", "WRITE");
  const client = server.openSocket();
  client.write(
    `POST /api/v1${ADDRESS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  await waitUntil(isHeldUp);
  await once(client.destroy(), "close");
  // By the time of this response, the server has also noticed that the client has disconnected.
  await server.fetch("/healthz");
  await direct.call("CLIENT", "UNPAUSE");
  const intent = async () => (await readEntries()).find((entry) => entry.reason === `left ${key}`);
  const end = async () => {
    const { id } = (await intent()) ?? {};
    return (await readEntries()).find((entry) => entry.id === id && entry.outcome !== undefined);
  };
  await waitUntil(async () => (await end()) !== undefined);
  expect((await end()).outcome).toMatchObject({ code: "cancelled", details: { begun: 0, notBegun: 1 } });
  expect(await direct.exists(key)).toBe(1);
});

it("a stopping server starts no further bulk items, returns finished ones and omits the summary", async () => {
  const stopping = await startTestServer();
  const keys = Array.from({ length: 300 }, (_, n) => `lock:${n}`);
  const body = { owner: "w1", leaseMs: 60_000 };
  const items = await Promise.all(
    keys.map(async (key) => {
      const { fence } = (await stopping.call(`/locks/${key}/acquire`, { body })).body;
      return { key, expectedVersion: `fence.${fence}` };
    }),
  );
  const response = await stopping.fetch(ADDRESS, { body: { items, reason } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  const stopped = stopping.stop();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
    text += part.value;
  await stopped;
  const lines = parseLines(text);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length).toBeLessThan(300);
  expect(new Set(lines.slice(1).map(({ type, outcome }) => `${type} ${outcome}`))).toEqual(
    new Set(["item released"]),
  );
});

describe("bulk request validation", () => {
  it.for([
    ["neither items nor a filter", { reason }, "invalid"],
    [
      "both items and a filter",
      { items: [{ key: "lock:a", expectedVersion: "fence.1" }], filter: "x", dryRun: true },
      "invalid",
    ],
    ["a filter that was not reviewed", { filter: "key:lock:*", reason }, "invalid"],
    ["no items", { items: [], reason }, "invalid"],
    ["an empty key", { items: [{ key: "", expectedVersion: "fence.1" }], reason }, "invalid"],
    [
      "invalid base64",
      { items: [{ key: "", keyBase64: "A", expectedVersion: "fence.1" }], reason },
      "invalid",
    ],
    [
      "a key that is too long",
      { items: [{ key: "a".repeat(1025), expectedVersion: "fence.1" }], reason },
      "invalid",
    ],
    [
      "too many items",
      { items: Array(1001).fill({ key: "lock:a", expectedVersion: "fence.1" }), reason },
      "invalid",
    ],
    ["no reason", { items: [{ key: "lock:a", expectedVersion: "fence.1" }], reason: " " }, "reason_required"],
  ] as const)("a bulk request is rejected with %s", async ([_what, body, code], { sendBulk }) => {
    const { status, said } = await sendBulk(body);
    expect([code, STATUS[code]]).toEqual([said.code, status]);
  });
  const STATUS: Record<string, number> = { invalid: 400, reason_required: 422 };

  it("a bulk request may have 1,000 items with the longest keys", async ({ sendBulk }) => {
    const items = Array.from({ length: 1000 }, (_, n) => ({
      key: `lock:${String(n).padStart(1019, "k")}`,
      expectedVersion: `fence.${"1".repeat(200)}`,
    }));
    const { tally } = await sendBulk({ items, dryRun: true });
    expect(tally.outcomes).toEqual({ already_gone: 1000 });
  });

  it("a bulk request at a production target must confirm its name unless it is a dry run", async ({
    server,
    direct,
    key,
    sendBulk,
    sendReview,
  }) => {
    await server.call(`/locks/${key}/acquire?target=prod`, { body: { owner: "w1", leaseMs: 60_000 } });
    await direct.select(1);
    await server.waitForLocks("", 1, "prod");
    const { items, outcomes } = await sendReview("", {}, "?target=prod");
    expect(outcomes).toEqual(["would_release"]);
    const sure = getItems(items);
    for (const confirm of [undefined, "main", "PROD"]) {
      const { status, said } = await sendBulk({ items: sure, reason, confirm }, "?target=prod");
      expect([status, said.code, said.target]).toEqual([422, "confirm_required", "prod"]);
    }
    expect(await direct.exists(key)).toBe(1);
    const { outcomes: freed } = await sendBulk({ items: sure, reason, confirm: "prod" }, "?target=prod");
    expect(freed).toEqual(["released"]);
    await direct.select(0);
  });
});
