import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import { LiveRows, type LiveWindow } from "../../lib/contract/live.ts";
import { encodeKeyPath, KEY_PATH_CHARACTERS_MAX } from "../../lib/keys/key.ts";
import { applyRowChanges } from "../../lib/live/apply-row-changes.ts";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { type StreamMessage, TestStream } from "../../test/support/test-stream.ts";

const node = serverTest({ adapter: "node" });
const next = serverTest({ adapter: "next" });

const filterByEvent = (messages: StreamMessage[], event: string) =>
  messages.filter((message) => message.event === event);
const collectEvents = (messages: StreamMessage[]): LockEvent[] =>
  filterByEvent(messages, "events").flatMap(({ data }) => data.items);

/** Returns the window that a browser would show: the last `window` message with all later changes applied. */
function findWindow(messages: StreamMessage[]): LiveWindow | undefined {
  let window: LiveWindow | undefined;
  for (const { event, data } of messages) {
    if (event === "window") window = data;
    if (event === "rows" && window !== undefined) window = applyRowChanges(window, data);
  }
  return window;
}

describe.for([
  ["node", node],
  ["next", next],
] as const)("streams through the %s adapter", ([, it]) => {
  describe("GET /events", () => {
    it("the event stream begins with hello and sends each event with an id", async ({ server, key }) => {
      const { response, messages, leave } = await TestStream.open(server, "/events");
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      const hold = await server.acquire(key, { owner: "me" });
      await server.callHold(hold, "renew", { leaseMs: 60_000 });
      await waitUntil(
        () =>
          filterByEvent(messages, "renewed").length === 1 && filterByEvent(messages, "acquired").length === 1,
      );
      expect(messages[0]).toMatchObject({ event: "hello", data: { now: expect.any(Number) } });
      expect(filterByEvent(messages, "acquired")[0]?.data).toMatchObject({
        key,
        owner: "me",
        count: 1,
        observed: "exact",
      });
      expect(filterByEvent(messages, "acquired")[0]?.id).toBe(
        filterByEvent(messages, "acquired")[0]?.data.id,
      );
      expect(filterByEvent(messages, "renewed")[0]?.id).toBeUndefined();
      leave();
    });

    it("the event stream resumes after Last-Event-ID without loss or duplicates", async ({ server, key }) => {
      const first = await TestStream.open(server, "/events");
      const hold = await server.acquire(key, { owner: "me" });
      await waitUntil(() => filterByEvent(first.messages, "acquired").length === 1);
      const id = filterByEvent(first.messages, "acquired")[0]?.id ?? "";
      first.leave();
      await server.callHold(hold, "release");
      const next = createTestKey();
      await server.callVerb(next, "acquire", { owner: "you" });
      const second = await TestStream.open(server, "/events", { "last-event-id": id });
      await waitUntil(() => second.messages.length === 3);
      expect(second.messages.map(({ event }) => event)).toEqual(["hello", "released", "acquired"]);
      second.leave();
    });

    it("the event stream sends reset and a snapshot of every held lock for an unknown Last-Event-ID", async ({
      server,
      key,
    }) => {
      await server.callVerb(key, "acquire", { owner: "me" });
      const { messages, leave } = await TestStream.open(server, "/events", {
        "last-event-id": "other-process-17",
      });
      await waitUntil(() => filterByEvent(messages, "reset").length > 0);
      expect(messages[1]?.event).toBe("reset");
      const received = () => [
        ...filterByEvent(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...filterByEvent(messages, "acquired").map(({ data }) => data.key),
      ];
      await waitUntil(() => received().includes(key));
      expect(received().filter((each) => each === key)).toHaveLength(1);
      leave();
    });

    it("the event stream reports each lock acquired during a snapshot exactly once", async ({ server }) => {
      const keys = Array.from({ length: 200 }, () => createTestKey());
      const streams: TestStream[] = [];
      const taking = keys.map(async (key, n) => {
        await server.callVerb(key, "acquire", { owner: "me" });
        if (n % 10 === 0)
          streams.push(await TestStream.open(server, "/events", { "last-event-id": "other-1" }));
      });
      await Promise.all(taking);
      const listReceivedKeys = ({ messages }: TestStream) => [
        ...filterByEvent(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...filterByEvent(messages, "acquired").map(({ data }) => data.key),
      ];
      const knowsAll = (stream: TestStream) => {
        const received = new Set(listReceivedKeys(stream));
        return keys.every((key) => received.has(key));
      };
      await waitUntil(() => streams.every(knowsAll));
      for (const stream of streams) {
        const received = listReceivedKeys(stream).filter((key) => keys.includes(key));
        expect(received).toHaveLength(new Set(received).size);
        stream.leave();
      }
    });
  });

  describe("GET /live", () => {
    it("the live stream sends the requested window, health every second and all events on request", async ({
      server,
    }) => {
      const name = randomUUID();
      const asked = `/live?filter=${name}&sort=-key&limit=2&events=all`;
      const { messages, leave } = await TestStream.open(server, asked);
      for (const each of ["a", "b", "c"])
        await server.callVerb(`lock:${name}:${each}`, "acquire", { owner: "me" });
      await waitUntil(() => findWindow(messages)?.total === 3);
      expect(findWindow(messages)?.items.map(({ key }) => key.slice(-1))).toEqual(["c", "b"]);
      await waitUntil(() => collectEvents(messages).filter(({ key }) => key.includes(name)).length === 3);
      await waitUntil(() => filterByEvent(messages, "health").length >= 2);
      expect(filterByEvent(messages, "health")[0]?.data).toMatchObject({
        state: "live",
        notifications: "on",
      });
      leave();
    });

    it("the live stream sends nothing about locks outside the window", async ({ server }) => {
      const { messages, leave } = await TestStream.open(server, `/live?filter=${randomUUID()}&limit=2`);
      await waitUntil(() => filterByEvent(messages, "window").length === 1);
      const { held } = filterByEvent(messages, "window")[0]?.data ?? {};
      await server.callVerb(createTestKey(), "acquire", { owner: "me" });
      // Only the number of held locks changed.
      await waitUntil(() => findWindow(messages)?.held === held + 1);
      expect(findWindow(messages)?.items).toEqual([]);
      expect(filterByEvent(messages, "events")).toEqual([]);
      leave();
    });

    it("the live stream sends only the row that changed", async ({ server }) => {
      const name = randomUUID();
      for (let n = 0; n < 20; n++) if (n !== 7) await server.acquire(`lock:${name}:${n}`);
      const hold = await server.acquire(`lock:${name}:7`);
      const { messages, leave } = await TestStream.open(server, `/live?filter=${name}&limit=50`);
      await waitUntil(() => findWindow(messages)?.items.length === 20);
      const received = messages.length;
      await server.reenter(hold);
      await waitUntil(
        () => findWindow(messages)?.items.some(({ holders }) => holders[0]?.count === 2) === true,
      );
      const since = messages.slice(received);
      const changed = filterByEvent(since, "rows").flatMap(({ data }) =>
        LiveRows.parse(data).rows.flatMap(({ lock }) => lock ?? []),
      );
      expect(changed.map(({ key }) => key)).toEqual([`lock:${name}:7`]);
      expect(filterByEvent(since, "window")).toEqual([]);
      leave();
    });

    it("the live stream updates a row when another key gets the same token", async ({ server, direct }) => {
      const [name, token] = [randomUUID(), randomUUID().replaceAll("-", "")];
      await direct.set(`lock:${name}:a`, token, "PX", 60_000);
      const { messages, leave } = await TestStream.open(server, `/live?filter=lock:${name}:a`);
      await waitUntil(() => findWindow(messages)?.items.length === 1);
      expect(findWindow(messages)?.items[0]?.sharedWith).toEqual([]);
      await direct.set(`lock:${name}:b`, token, "PX", 60_000);
      await waitUntil(() => findWindow(messages)?.items[0]?.sharedWith[0]?.key === `lock:${name}:b`);
      leave();
    });

    it("the live stream sends only the events of the watched lock", async ({ server, key }) => {
      const { messages, leave } = await TestStream.open(server, `/live?limit=0&lock=${key}`);
      await waitUntil(() => filterByEvent(messages, "lock").length === 1);
      await server.callVerb(createTestKey(), "acquire", { owner: "me" });
      await server.callVerb(key, "acquire", { owner: "me" });
      await waitUntil(() => collectEvents(messages).length === 1);
      expect(collectEvents(messages)).toMatchObject([{ type: "acquired", key }]);
      leave();
    });

    it("the live stream accepts the maximum number of pinned keys of maximum length", async ({ server }) => {
      // Percent encoding needs three characters for each byte of these keys.
      const keep = Array.from({ length: 200 }, (_, n) =>
        encodeKeyPath(`:${String.fromCodePoint(0x4e00 + n)}${"\u9501".repeat(340)}`),
      );
      expect(new Set(keep.map(({ length }) => length))).toEqual(new Set([KEY_PATH_CHARACTERS_MAX]));
      const [lock = ""] = keep;
      const asked = `/live?limit=0&lock=${encodeURIComponent(lock)}`;
      const { response, messages, leave } = await TestStream.open(server, asked);
      expect(response.status).toBe(200);
      await waitUntil(() => filterByEvent(messages, "hello").length === 1);
      const stream = filterByEvent(messages, "hello")[0]?.data.stream;
      const { status } = await server.call(`/live/${stream}`, { body: { keep, lock } });
      expect(status).toBe(204);
      leave();
    });

    it("the live stream follows a change of the tab's view", async ({ server, key }) => {
      const hold = await server.acquire(key, { owner: "me" });
      const { messages, leave } = await TestStream.open(server, `/live?filter=nothing-matches&limit=10`);
      await waitUntil(() => filterByEvent(messages, "hello").length === 1);
      const stream = filterByEvent(messages, "hello")[0]?.data.stream;
      const { status } = await server.call(`/live/${stream}`, { body: { filter: key, lock: key } });
      expect(status).toBe(204);
      await waitUntil(() => findWindow(messages)?.total === 1);
      await waitUntil(() => filterByEvent(messages, "lock").at(-1)?.data.lock.holders.length === 1);
      await server.callHold(hold, "release");
      await waitUntil(() => filterByEvent(messages, "lock").at(-1)?.data.lock.holders.length === 0);
      leave();
      await waitUntil(async () => (await server.call(`/live/${stream}`, { body: {} })).status === 404);
    });

    it("the live stream updates a row that time alone moves into or out of the window", async ({
      server,
      key,
    }) => {
      const tabs = await Promise.all([0, 1].map(() => TestStream.open(server, "/live?limit=0")));
      const look = async (tab: number, filter: string) => {
        await waitUntil(() => filterByEvent(tabs[tab]?.messages ?? [], "hello").length === 1);
        const stream = filterByEvent(tabs[tab]?.messages ?? [], "hello")[0]?.data.stream;
        return await server.call(`/live/${stream}`, { body: { filter, limit: 10 } });
      };
      const rowsOf = (tab: number) => findWindow(tabs[tab]?.messages ?? [])?.items.length;
      expect((await look(0, "held>soon")).body.code).toBe("invalid");
      await look(0, `key:${key} held<2s`);
      await look(1, `key:${key} held>2s`);
      await server.callVerb(key, "acquire", { owner: "me", leaseMs: 60_000 });
      await waitUntil(() => rowsOf(0) === 1 && rowsOf(1) === 0);
      await waitUntil(() => rowsOf(0) === 0 && rowsOf(1) === 1, 8000);
      for (const { leave } of tabs) leave();
    });

    it("the live stream reports a Redis outage and its recovery at once", async ({ server }) => {
      const { messages, leave } = await TestStream.open(server, "/live");
      await waitUntil(() => filterByEvent(messages, "health").length > 0);
      await server.redis.kill();
      await waitUntil(() => filterByEvent(messages, "health").at(-1)?.data.state === "down");
      await server.redis.restart();
      await waitUntil(() => filterByEvent(messages, "health").at(-1)?.data.state === "live");
      leave();
    });
  });
});

describe("slow tabs", () => {
  const it = node;

  it("a tab that stops reading gets the latest state when it resumes, with bounded memory", async ({
    server,
    direct,
    key,
  }) => {
    for (let n = 0; n < 100; n++) if (n !== 5) await server.acquire(`${key}:${n}`);
    const hold = await server.acquire(`${key}:5`);
    const socket = server.openSocket();
    const read: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => read.push(chunk));
    const view = `filter=${key}&limit=200&events=all`;
    socket.write(`GET /api/v1/live?${view} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\n\r\n`);
    const text = () => Buffer.concat(read).toString();
    await waitUntil(() => text().includes("event: window"));
    socket.pause();
    const locks = Array.from({ length: 100 }, (_, n) => `${key}:${n}`);
    // Sends more data than the sockets of the client and the server can buffer.
    for (let round = 0; round < 60; round++) {
      await Promise.all(locks.map((lock) => direct.pexpire(lock, 60_000 + round)));
      await publishWaiting(direct, 300);
    }
    await server.reenter(hold);
    const before = Buffer.concat(read).length;
    socket.resume();
    await waitUntil(() => /"skipped":[1-9]/.test(text()) && /"count":2/.test(text().slice(before)));
    socket.destroy();
  });
});

describe("slow event readers", () => {
  const it = node;

  it("an event reader that stops reading is disconnected without harm to others", async ({
    server,
    direct,
  }) => {
    const socket = server.openSocket();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    await publishWaiting(direct, 15_000);
    expect((await server.callUntilAvailable("/locks")).status).toBe(200);
    // A paused socket does not detect that the server has closed the connection, but a write to it fails.
    await waitUntil(() => {
      if (!socket.destroyed) socket.write("\r\n");
      return socket.destroyed;
    }, 60_000);
    await closed;
    expect((await server.call("/locks")).status).toBe(200);
  }, 120_000);
});

/** Publishes script events of the type `waiting`. Each has 1 KiB, because its owner has the maximum length. */
async function publishWaiting(direct: Redis, count: number): Promise<void> {
  const message = `waiting\t${Date.now()}\t\t0\t0\t\t${"o".repeat(1024)}\t\nlock:a`;
  for (let sent = 0; sent < count; sent += 500) {
    const pipeline = direct.pipeline();
    for (let n = sent; n < Math.min(count, sent + 500); n++) pipeline.publish("lockkeeper:events:0", message);
    await pipeline.exec();
  }
}
