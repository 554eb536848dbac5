import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { readStreamUntil } from "../../../test/support/test-stream.ts";

const name = randomUUID();
const [a, b] = [`lock:${name}:a`, `lock:${name}:b`];

const it = serverTest().extend(
  "readHistory",
  { scope: "file" },
  ({ server }) =>
    async (query: string) =>
      (await server.call(`/history?${query}`)).body,
);

it.beforeAll(async ({ server, readHistory }) => {
  for (const [key, owner, forMs] of [
    [a, "ada", 30],
    [b, "bob", 1],
    [a, "cid", 1],
  ] as const) {
    const hold = await server.acquire(key, { owner });
    await sleepMs(forMs);
    await server.callHold(hold, "release");
  }
  await waitUntil(async () => (await readHistory(`key=lock:${name}:*`)).items.length === 6);
});

const formatEvents = (items: readonly { type: string; owner: string }[]) =>
  items.map(({ type, owner }) => `${type} ${owner}`);

describe("GET /history", () => {
  it("history is found by key, owner, type and time, newest first", async ({ readHistory }) => {
    const { items, complete } = await readHistory(`key=lock:${name}:*`);
    const all = [
      "released cid",
      "acquired cid",
      "released bob",
      "acquired bob",
      "released ada",
      "acquired ada",
    ];
    expect(formatEvents(items)).toEqual(all);
    expect(complete).toBe(true);
    expect(formatEvents((await readHistory(`key=lock:${name}:*&owner=a?a`)).items)).toEqual([
      "released ada",
      "acquired ada",
    ]);
    const released = await readHistory(`key=${a}&type=released,expired`);
    expect(formatEvents(released.items)).toEqual(["released cid", "released ada"]);
    const from = items[3].at;
    const between = await readHistory(`key=lock:${name}:*&from=${from}&to=${items[2].at}`);
    expect(formatEvents(between.items)).toEqual(expect.arrayContaining(["released bob", "acquired bob"]));
    expect(formatEvents(between.items)).not.toContain("acquired ada");
    expect(formatEvents((await readHistory(`text=${name}%20owner:cid`)).items)).toEqual([
      "released cid",
      "acquired cid",
    ]);
  });

  it("history is read in either direction and can reverse at any event", async ({ readHistory }) => {
    const { items } = await readHistory(`key=lock:${name}:*`);
    const forth = await readHistory(`key=lock:${name}:*&order=oldest_first&limit=2`);
    expect(formatEvents(forth.items)).toEqual(["acquired ada", "released ada"]);
    const on = await readHistory(`key=lock:${name}:*&order=oldest_first&limit=9&cursor=${forth.next}`);
    expect(formatEvents(on.items)).toEqual(["acquired bob", "released bob", "acquired cid", "released cid"]);
    expect(on.next).toBeUndefined();
    const back = await readHistory(`key=lock:${name}:*&cursor=${forth.next}`);
    expect(formatEvents(back.items)).toEqual(["acquired ada"]);
    const later = await readHistory(`key=lock:${name}:*&order=oldest_first&from=${items[1].at}`);
    expect(formatEvents(later.items).slice(-2)).toEqual(["acquired cid", "released cid"]);
    expect(formatEvents(later.items)).not.toContain("acquired ada");
  });

  it("a history filter that no event can match is rejected with an explanation", async ({ server }) => {
    const { status, body } = await server.call(`/history?text=${encodeURIComponent("ada held>5m")}`);
    expect([status, body.code]).toEqual([400, "invalid"]);
    expect(body.detail).toContain("held>5m applies to locks, not to events");
  });

  it("history pages reach the end without duplicates", async ({ readHistory }) => {
    const found: string[] = [];
    let next: string | undefined;
    do {
      const page = await readHistory(
        `key=lock:${name}:*&limit=2${next === undefined ? "" : `&cursor=${next}`}`,
      );
      found.push(...formatEvents(page.items));
      next = page.next;
      expect(page.complete).toBe(next === undefined);
    } while (next !== undefined);
    expect(found).toHaveLength(6);
    expect(new Set(found).size).toBe(6);
  });

  it("an unknown event type or cursor is rejected with the valid types", async ({ server }) => {
    const { status, body } = await server.call("/history?type=acquired,stolen");
    expect(status).toBe(400);
    expect(body.detail).toContain("force_released");
    expect((await server.call("/history?cursor=5")).status).toBe(400);
  });
});

describe("GET /locks/{key}/history", () => {
  it("the history of a lock returns who held it at a given time, since when and how it ended", async ({
    server,
  }) => {
    const { items } = (await server.call(`/locks/${encodeURIComponent(a)}/history`)).body;
    expect(formatEvents(items)).toEqual(["released cid", "acquired cid", "released ada", "acquired ada"]);
    const [, , end, begin] = items;
    const at = async (moment: number) =>
      (await server.call(`/locks/${encodeURIComponent(a)}/history?at=${moment}`)).body.holds;
    expect(await at(begin.at + 5)).toEqual([
      {
        owner: "ada",
        fence: begin.fence,
        since: begin.at,
        sinceIs: "exact",
        until: end.at,
        end: "recorded",
        ended: expect.objectContaining({ id: end.id, type: "released" }),
      },
    ]);
    expect(await at(begin.at - 1)).toEqual([]);
    expect(await at(end.at)).toEqual([]);
  });
});

describe("GET /events", () => {
  it("the event stream contains only the requested events", async ({ server }) => {
    const hello = await readStreamUntil(server, "/events", (text) => text.endsWith("\n\n"));
    const { oldest } = JSON.parse(/^data: (.*)$/m.exec(hello)?.[1] ?? "");
    const text = await readStreamUntil(
      server,
      `/events?owner=bob&key=lock:${name}:*&type=released`,
      (soFar) => soFar.includes("event: released") && soFar.endsWith("\n\n"),
      { "last-event-id": oldest },
    );
    expect(text.match(/^event: .*$/gm)).toEqual(["event: hello", "event: released"]);
  });
});
