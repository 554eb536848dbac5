import { expect } from "vitest";
import type { AuditEntry } from "../../../lib/contract/audit.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { settlesWithin } from "../../../test/support/timing.ts";
import { UnavailableError } from "../../errors/redis-errors.ts";
import type { HomeStore } from "../../home/home-store.ts";
import { openHomeStore } from "../../home/open-home-store.ts";
import { CHAIN_START, ChainCheck } from "./audit-chain.ts";
import { AuditLog, type NewIntent } from "./audit-log.ts";
import { type AuditRetention, AuditStore } from "./audit-store.ts";
import { verifyStoredChain } from "./verify-chain.ts";

const STREAM = "{lockkeeper}:audit";
const END = "{lockkeeper}:audit:end";
/** Time limit in ms for writing an intent, shorter than in production so that the tests are fast. */
const BUDGET_MS = 300;
const ALL: AuditRetention = { most: 100_000, ms: 86_400_000 };

let databases = 0;

/**
 * Each test has its own Redis database. `createInstance` opens the audit log in this database as an instance would.
 * `port` can be the port of a proxy.
 */
const it = redisTest({ args: ["--databases", "64"] })
  .extend("proxy", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const proxy = await startTestProxy(redis.port);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend("openDatabase", ({ redis }, { onCleanup }) => {
    const homes: HomeStore[] = [];
    onCleanup(() => {
      for (const home of homes) home.close();
    });
    return async () => {
      const database = ++databases;
      const client = redis.createClient();
      await client.select(database);
      const createInstance = ({ retention = ALL, port = redis.port } = {}) => {
        const home = openHomeStore(`redis://127.0.0.1:${port}/${database}`);
        homes.push(home);
        const store = new AuditStore(home, retention);
        return { store, log: new AuditLog(store, undefined, BUDGET_MS), home };
      };
      return { client, createInstance };
    };
  })
  .extend("database", ({ openDatabase }) => openDatabase())
  .extend("createInstance", ({ database }) => database.createInstance)
  .extend("client", ({ database }) => database.client);

const buildIntent = (id: string, more: Partial<NewIntent> = {}): NewIntent => ({
  ...{ id, requestId: `r-${id}`, action: "force_release", from: {} },
  ...{ who: { kind: "key", id: "root", name: "key:root", verbs: ["force"] } },
  ...more,
});

async function checkChain(store: AuditStore): Promise<ChainCheck & { ids: string[]; kinds: string[] }> {
  const end = await store.readEnd();
  const check = new ChainCheck(end?.anchor ?? CHAIN_START);
  const entries: AuditEntry[] = [];
  for (let at = 0; ; ) {
    const links = await store.readAfter(at);
    const last = links.at(-1);
    if (last === undefined) break;
    for (const link of links) {
      check.add(link);
      entries.push(JSON.parse(link.text));
    }
    at = last.number;
  }
  check.end(end?.head);
  return Object.assign(check, {
    ids: entries.flatMap((entry) => ("id" in entry ? [`${entry.kind} ${entry.id}`] : [])),
    kinds: entries.map(({ kind }) => kind),
  });
}

it("several instances that write concurrently produce one audit chain without duplicate entries", async ({
  createInstance,
  client,
}) => {
  const instances = [createInstance(), createInstance(), createInstance()] as const;
  await Promise.all(
    instances.map(async ({ log }, n) => {
      await Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          await log.begin(buildIntent(`${n}.${at}`));
          log.end(`${n}.${at}`, { code: "released" });
        }),
      );
      await log.stop();
    }),
  );
  const check = await checkChain(instances[0].store);
  expect(check.fault).toBeUndefined();
  expect(check.kinds[0]).toBe("chain_begun");
  expect(check.ids.length).toBe(360);
  expect(new Set(check.ids).size).toBe(360);
  for (const [at, id] of check.ids.entries())
    if (id.startsWith("outcome")) expect(check.ids.indexOf(id.replace("outcome", "intent"))).toBeLessThan(at);
  expect(await client.xlen(STREAM)).toBe(361);
});

it("concurrent audit entries are written in a few batches", async ({ createInstance }) => {
  const { log, store } = createInstance();
  let calls = 0;
  const { append } = store;
  store.append = (ask) => {
    calls += 1;
    return append.call(store, ask);
  };
  await Promise.all(Array.from({ length: 100 }, (_, at) => log.begin(buildIntent(String(at)))));
  expect(calls).toBeLessThan(6);
});

it("while the store is down, an intent is refused quickly; a pending outcome is written after recovery", async ({
  proxy,
  createInstance,
  client,
}) => {
  const { log, home } = createInstance({ port: proxy.port });
  const { store } = createInstance();
  await log.begin(buildIntent("before"));
  proxy.mode = "drop_replies";
  log.end("before", { code: "released" });
  // The script runs but its reply is lost, so the caller gets an error although the entry is written.
  const doubtful = log.begin(buildIntent("doubtful"));
  expect(await settlesWithin(doubtful, 2000)).toBe(true);
  await expect(doubtful).rejects.toThrow(UnavailableError);
  proxy.mode = "pass";
  await waitUntil(() => !home.isDisconnected);
  await log.begin(buildIntent("after"));
  await log.stop();
  const { fault, ids } = await checkChain(store);
  expect(fault).toBeUndefined();
  expect(ids.filter((id) => id === "outcome before")).toEqual(["outcome before"]);
  expect(ids.filter((id) => id === "intent doubtful").length).toBeLessThanOrEqual(1);
  if (ids.includes("intent doubtful")) {
    const entries = await client.xrange(STREAM, "-", "+");
    const texts = entries.map(([, fields]) => fields.at(-1) ?? "");
    expect(texts.find((text) => text.includes('"id":"doubtful","outcome"'))).toContain("not_begun");
  }
});

it("random lost replies neither duplicate an audit entry nor lose an acknowledged one", async ({
  proxy,
  createInstance,
}) => {
  const { log } = createInstance({ port: proxy.port });
  const { store } = createInstance();
  proxy.dropShare = 0.2;
  const done: string[] = [];
  for (let round = 0; round < 12; round++) {
    await Promise.all(
      Array.from({ length: 5 }, async (_, at) => {
        const id = `${round}.${at}`;
        try {
          await log.begin(buildIntent(id));
        } catch {
          return;
        }
        done.push(id);
        log.end(id, { code: "released" });
      }),
    );
  }
  proxy.dropShare = 0;
  await log.stop();
  const { fault, ids } = await checkChain(store);
  expect(fault).toBeUndefined();
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of done) expect(ids).toEqual(expect.arrayContaining([`intent ${id}`, `outcome ${id}`]));
}, 40_000);

it("a write that reaches the store late is rejected there or recorded once", async ({
  redis,
  proxy,
  openDatabase,
}) => {
  for (const isFirst of [true, false]) {
    const { createInstance } = await openDatabase();
    const { log, home } = createInstance({ port: proxy.port });
    const { store } = createInstance();
    await log.begin(buildIntent("before"));
    proxy.mode = "keep_requests";
    await expect(log.begin(buildIntent("late"))).rejects.toThrow(UnavailableError);
    const deliver = async () => {
      const count = await redis.createClient().info("commandstats");
      proxy.deliverKept();
      await waitUntil(async () => (await redis.createClient().info("commandstats")) !== count);
    };
    if (isFirst) await deliver();
    proxy.mode = "pass";
    await waitUntil(() => !home.isDisconnected);
    await log.begin(buildIntent("after"));
    if (!isFirst) await deliver();
    await log.stop();
    const { fault, ids } = await checkChain(store);
    expect(fault).toBeUndefined();
    expect(ids).toContain("intent after");
    expect(ids.includes("intent late")).toBe(ids.includes("outcome late"));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

it("an emptied store gets a new chain that names its predecessor and the actions in progress", async ({
  createInstance,
  client,
}) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  const before = await store.readEnd();
  await client.flushdb();
  log.end("one", { code: "released" });
  await waitUntil(async () => (await checkChain(store)).ids.includes("outcome one"));
  const { fault, kinds, ids, head } = await checkChain(store);
  expect(fault).toBeUndefined();
  expect(kinds).toEqual(["chain_begun", "intent", "outcome"]);
  expect(ids).toEqual(["intent one", "outcome one"]);
  expect(head.number).toBe((before?.head.number ?? 0) + 3);
  const [first] = await store.readAfter(0);
  expect(JSON.parse(first?.text ?? "")).toMatchObject({ after: before?.head });
  expect((await store.readEnd())?.anchor).toEqual(before?.head);
});

it("an emptied store that is also full receives the pending entries once, despite many retries", async ({
  createInstance,
  client,
}) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  await client.flushdb();
  let asked = 0;
  const { append } = store;
  store.append = (ask) => {
    asked += 1;
    return append.call(store, ask);
  };
  await client.config("SET", "maxmemory", "1");
  log.end("one", { code: "released" });
  await waitUntil(() => asked > 8);
  await client.config("SET", "maxmemory", "0");
  await waitUntil(async () => (await checkChain(store)).ids.includes("outcome one"));
  const { fault, ids } = await checkChain(store);
  expect(fault).toBeUndefined();
  expect(ids).toEqual(["intent one", "outcome one"]);
});

it("a store restored to an earlier state gets an entries_lost record", async ({ createInstance, client }) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  const earlier = await client.get(END);
  await log.begin(buildIntent("two"));
  const known = (await store.readEnd())?.head;
  // Restores the state that an older data file would have, without the last entry.
  const entries = await client.xrange(STREAM, "-", "+");
  await client.del(STREAM);
  for (const [id, fields] of entries.slice(0, -1)) await client.xadd(STREAM, id, ...fields);
  await client.set(END, earlier ?? "");
  await log.begin(buildIntent("three"));
  const { fault, ids, kinds } = await checkChain(store);
  expect(fault).toBeUndefined();
  expect(kinds).toContain("entries_lost");
  expect(ids).toEqual(["intent one", "intent one", "intent two", "intent three"]);
  const lost = (await store.readAfter(0))
    .map(({ text }) => JSON.parse(text))
    .find((e) => e.kind === "entries_lost");
  expect(lost.known).toEqual(known);
});

it("entries above the retention limit are removed in order, and the rest links to the anchor", async ({
  createInstance,
}) => {
  const { log, store } = createInstance({ retention: { most: 20, ms: 86_400_000 } });
  for (let at = 0; at < 50; at++) await log.begin(buildIntent(String(at)));
  const check = await checkChain(store);
  expect(check).toMatchObject({ fault: undefined, entries: 20 });
  expect(check.anchor?.number).toBe(31);
  expect(check.ids.at(-1)).toBe("intent 49");
});

it("expired audit entries are removed with the next write, even after the retention was shortened", async ({
  createInstance,
}) => {
  const { log } = createInstance();
  for (let at = 0; at < 5; at++) await log.begin(buildIntent(String(at)));
  const later = createInstance({ retention: { most: 100, ms: -1000 } });
  await later.log.begin(buildIntent("new"));
  const check = await checkChain(later.store);
  expect(check).toMatchObject({ fault: undefined, entries: 1, ids: ["intent new"] });
});

it("an entry appended to the stream by another client is found by the verification", async ({
  createInstance,
  client,
}) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  await client.xadd(STREAM, "9-0", "prev", "x", "hash", "f".repeat(64), "entry", "{}");
  await log.begin(buildIntent("two"));
  const { fault } = await checkChain(store);
  expect(fault).toMatchObject({ number: 3, why: expect.stringContaining("missing") });
});

it("a forged end record is ignored in favor of the stream content", async ({ createInstance, client }) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  for (const [number, hash] of [
    ["900", "A".repeat(64)],
    ["900", "a"],
    ["9".repeat(19), "a".repeat(64)],
  ]) {
    await client.set(END, `${number} ${hash} 0 ${"0".repeat(64)}`);
    await log.begin(buildIntent(`${hash} of ${number}`));
    expect((await checkChain(store)).fault).toBeUndefined();
  }
  expect((await checkChain(store)).ids).toHaveLength(4);
});

it("a stream whose ids were exhausted by another client makes every action fail at once and is detected", async ({
  createInstance,
  client,
}) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  await client.xadd(STREAM, "9999999999999999999-0", "hash", "f".repeat(64));
  const refused = log.begin(buildIntent("two"));
  expect(await settlesWithin(refused, 2000)).toBe(true);
  await expect(refused).rejects.toThrow(UnavailableError);
  expect((await verifyStoredChain(store)).fault).toMatchObject({
    number: 3,
    why: expect.stringContaining("missing"),
  });
  await log.stop();
});

it("a store that rejects writes makes every action fail at once with the reason and gets the outcomes later", async ({
  createInstance,
  client,
}) => {
  const { log, store } = createInstance();
  await log.begin(buildIntent("one"));
  let compared = 0;
  const { append } = store;
  store.append = (ask) => {
    compared = Math.max(compared, ask.compare.length);
    return append.call(store, ask);
  };
  // Makes appends fail: a stream rejects ids that are not larger than its last id, even if the entry with that id was
  // removed.
  await client.xadd(STREAM, "9-0", "a", "b");
  await client.xdel(STREAM, "9-0");
  log.end("one", { code: "released" });
  for (const id of ["two", "three"]) {
    const refused = log.begin(buildIntent(id));
    expect(await settlesWithin(refused, BUDGET_MS * 3)).toBe(true);
    await expect(refused).rejects.toThrow(/home store \(ERR\)/);
  }
  await client.del(STREAM);
  await waitUntil(async () => (await checkChain(store)).ids.includes("outcome one"));
  expect((await checkChain(store)).ids).not.toContain("intent two");
  expect(compared).toBeLessThanOrEqual(2);
});

it("a key of another type in place of the audit stream makes every action fail with the reason", async ({
  createInstance,
  client,
}) => {
  await client.set(STREAM, "mine");
  const { log } = createInstance();
  await expect(log.begin(buildIntent("one"))).rejects.toThrow(/home store \(WRONGTYPE\)/);
  await log.stop();
});
