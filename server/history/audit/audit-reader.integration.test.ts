import { expect, onTestFinished } from "vitest";
import type { AuditItem } from "../../../lib/contract/audit.ts";
import { BULK_ITEMS_MAX } from "../../../lib/contract/limits.ts";
import { redisTest } from "../../../test/support/fixtures.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { openHomeStore } from "../../home/open-home-store.ts";
import { readEntryTime } from "./audit-chain.ts";
import { AuditLog } from "./audit-log.ts";
import { AuditReader } from "./audit-reader.ts";
import { AuditStore } from "./audit-store.ts";

const ACTIONS = 1700;
const NO_OUTCOME = 7;

const hasOutcome = (n: number) => n % NO_OUTCOME !== 0;

/** Writes intents whose outcomes follow later and in a different order. A few intents have no outcome. */
const it = redisTest()
  .extend("reader", { scope: "file" }, async ({ redis }, { onCleanup }) => {
    const home = openHomeStore(redis.url);
    onCleanup(() => home.close());
    const store = new AuditStore(home, { most: 100_000, ms: 86_400_000 });
    const log = new AuditLog(store);
    for (let n = 0; n < ACTIONS; n++) {
      log.add({
        ...{ kind: "intent", at: 1_000_000 + n, id: `a${n}`, requestId: `r${n}`, action: "force_release" },
        ...{ who: { kind: "key", id: "root", name: "key:root", verbs: [] }, from: {}, key: `lock:${n}` },
      });
      for (const late of [n - 3, n - 40])
        if (late >= 0 && hasOutcome(late) && (late % 2 === 0) === (late === n - 3))
          log.end(`a${late}`, { code: "released" });
    }
    for (let n = ACTIONS - 40; n < ACTIONS; n++)
      if (hasOutcome(n) && (n % 2 === 1 || n >= ACTIONS - 3)) log.end(`a${n}`, { code: "released" });
    const begin = (id: string, action: string) =>
      log.add({
        ...{ kind: "intent", at: 2_000_000, id, requestId: id, action, from: {} },
        who: { kind: "key", id: "root", name: "key:root", verbs: [] },
      });
    begin("bulk", "bulk_force_release");
    for (let n = 0; n < BULK_ITEMS_MAX; n++) {
      begin(`b${n}`, "bulk_item");
      log.end(`b${n}`, { code: "released" });
    }
    log.end("bulk", { code: "done" });
    // Waits until all entries have been written, because `stop` has a time limit that is too short on a busy machine.
    const bulkEntries = 2 * (1 + BULK_ITEMS_MAX);
    const entries =
      1 + ACTIONS + bulkEntries + Array.from({ length: ACTIONS }, (_, n) => n).filter(hasOutcome).length;
    await waitUntil(async () => (await store.readEnd())?.head.number === entries, 50_000);
    await log.stop();
    return new AuditReader(store);
  })
  .extend("listAllItems", { scope: "file" }, ({ reader }) => async (limit: number, filter: object = {}) => {
    const items: AuditItem[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await reader.readPage({ limit, ...(cursor === undefined ? {} : { cursor }), ...filter });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.items);
      if (page.next === undefined) return items;
      cursor = page.next;
    }
  });

it("pages of any size list each action once, newest first, with its outcome", async ({ listAllItems }) => {
  const expected = Array.from({ length: ACTIONS }, (_, at) => ACTIONS - 1 - at);
  for (const limit of [500, 97, 41]) {
    const items = (await listAllItems(limit)).filter(({ action }) => action === "force_release");
    expect(items.map(({ id }) => id)).toEqual(expected.map((n) => `a${n}`));
    for (const { id, outcome } of items)
      expect(outcome?.code).toBe(hasOutcome(Number(id.slice(1))) ? "released" : undefined);
  }
}, 60_000);

it("the largest bulk release has its outcome, although its items are between them", async ({
  listAllItems,
  reader,
}) => {
  const find = (items: readonly AuditItem[]) => items.find(({ id }) => id === "bulk")?.outcome?.code;
  expect(find(await listAllItems(100))).toBe("done");
  const exported: AuditItem[] = [];
  for await (const page of reader.iteratePages({})) exported.push(...page);
  expect(find(exported)).toBe("done");
  expect(exported.filter(({ outcome }) => outcome === null)).toHaveLength(Math.ceil(ACTIONS / NO_OUTCOME));
}, 60_000);

it("actions can be filtered by missing outcome and by time range", async ({ listAllItems }) => {
  const open = await listAllItems(100, { outcome: "none" });
  expect(open).toHaveLength(Math.ceil(ACTIONS / NO_OUTCOME));
  const some = await listAllItems(100, { from: 1_000_100, to: 1_000_109 });
  expect(some.map(({ key }) => key)).toEqual(Array.from({ length: 10 }, (_, at) => `lock:${109 - at}`));
});

it("a page before the first entry is empty and complete", async ({ reader }) => {
  for (const cursor of ["0", "1"])
    expect(await reader.readPage({ limit: 10, cursor })).toMatchObject({ items: [], complete: true });
});

it("every copy of a repeated intent has its outcome", async ({ redis }) => {
  const home = openHomeStore(redis.url);
  onTestFinished(() => home.close());
  const store = new AuditStore(home, { most: 100_000, ms: 86_400_000 });
  const log = new AuditLog(store);
  const reader = new AuditReader(store);
  for (let copy = 0; copy < 2; copy++) {
    log.add({
      ...{ kind: "intent", at: 3_000_000, id: "repeated", requestId: "repeated", action: "reserve" },
      ...{ who: { kind: "key", id: "root", name: "key:root", verbs: [] }, from: {} },
    });
  }
  log.end("repeated", { code: "done" });
  const list = async () => (await reader.readPage({ limit: 10, action: "reserve" })).items;
  await waitUntil(async () => (await list()).length === 2);
  await log.stop();
  expect((await list()).map(({ outcome }) => outcome?.code)).toEqual(["done", "done"]);
  const [newest] = await list();
  const cursor = String(newest?.number);
  expect((await reader.readPage({ limit: 1, cursor })).items[0]?.outcome?.code).toBe("done");
});

const MINUTE_MS = 60_000;

it("an export contains all entries of its period, although entries are only roughly in order of time", async ({
  redis,
}) => {
  const home = openHomeStore(redis.url);
  onTestFinished(() => home.close());
  const store = new AuditStore(home, { most: 100_000, ms: 86_400_000 });
  const log = new AuditLog(store);
  const reader = new AuditReader(store);
  const start = Date.now() + MINUTE_MS;
  const before = (await store.readEnd())?.head.number ?? 0;
  // The second instance is 30 minutes ahead. The last entry is not found, because the one before it is
  // later than the period by more than the tolerance.
  const later = Array.from({ length: 1200 }, () => 33);
  const minutes = [0, 30, 1, 31, 2, 32, ...later, 3, 34, 100, 4];
  minutes.forEach((minute, n) => {
    log.add({
      ...{ kind: "intent", at: start + minute * MINUTE_MS, id: `s${n}`, requestId: `s${n}` },
      ...{ action: "force_release", who: { kind: "key", id: "root", name: "key:root", verbs: [] }, from: {} },
    });
  });
  const hasAll = async () => ((await store.readEnd())?.head.number ?? 0) >= before + minutes.length;
  await waitUntil(hasAll, 50_000);
  await log.stop();
  const listMinutes = async (from: number, to: number) => {
    const found: number[] = [];
    for await (const links of reader.iterateChain(start + from * MINUTE_MS, start + to * MINUTE_MS))
      found.push(...links.map((link) => (readEntryTime(link) - start) / MINUTE_MS));
    return found;
  };
  expect(await listMinutes(0, 5)).toEqual(minutes.slice(0, -3));
  expect(await listMinutes(0, 2)).toEqual([0, 30, 1, 31, 2]);
  expect(await listMinutes(0, 0)).toEqual([0]);
  expect(await listMinutes(0, 200)).toEqual(minutes);
  expect(await listMinutes(300, 400)).toEqual([]);
}, 60_000);
