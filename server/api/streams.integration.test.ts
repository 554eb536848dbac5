import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LockEvent } from "../../lib/contract/event.ts";
import type { LiveWindow } from "../../lib/contract/live.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { applyRowChanges } from "../../lib/live/apply-row-changes.ts";
import {
  type ApiAdapter,
  ROOT_KEY,
  startTestServer,
  type TestServer,
  waitUntil,
} from "../../test/support/test-server.ts";

interface Message {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  data: any;
}

/** An open stream and what it has said so far. */
async function openStream(
  server: TestServer,
  door: ApiAdapter,
  path: string,
  headers: Record<string, string> = {},
) {
  const leave = new AbortController();
  const request = new Request(`${server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${ROOT_KEY}`, ...headers },
    signal: leave.signal,
  });
  const response = await (door === "next" ? server.runtime.handleWebRequest(request) : fetch(request));
  const messages: Message[] = [];
  const ended = readMessages(response, messages).catch(() => undefined);
  return { response, messages, ended, leave: () => leave.abort() };
}

async function readMessages(response: Response, messages: Message[]): Promise<void> {
  let text = "";
  for await (const chunk of decodeStream(response.body)) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
      const event = field("event");
      if (event !== undefined)
        messages.push({ event, id: field("id"), data: JSON.parse(field("data") ?? "null") });
    }
  }
}

async function* decodeStream(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
}

const filterByEvent = (messages: Message[], event: string) =>
  messages.filter((message) => message.event === event);
const isLock = (row: unknown): row is Lock => typeof row === "object" && row !== null;
const collectEvents = (messages: Message[]): LockEvent[] =>
  filterByEvent(messages, "events").flatMap(({ data }) => data.items);

/** As a browser keeps it: the last window, and what has changed in it. */
function findWindow(messages: Message[]): LiveWindow | undefined {
  let window: LiveWindow | undefined;
  for (const { event, data } of messages) {
    if (event === "window") window = data;
    if (event === "rows" && window !== undefined) window = applyRowChanges(window, data);
  }
  return window;
}

const createTestKey = () => `lock:${randomUUID()}`;

describe.each(["fast", "next"] as ApiAdapter[])("streams through the %s adapter", (door) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ door });
  });
  afterAll(async () => await server.stop());

  const verb = (key: string, name: string, body: unknown) => server.call(`/locks/${key}/${name}`, { body });

  describe("GET /events", () => {
    it("the event stream begins with hello and sends each event with an id", async () => {
      const { response, messages, leave } = await openStream(server, door, "/events");
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      const key = createTestKey();
      await verb(key, "acquire", { owner: "me" });
      await verb(key, "renew", { owner: "me", leaseMs: 60_000 });
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

    it("the event stream resumes after Last-Event-ID without loss or duplicates", async () => {
      const first = await openStream(server, door, "/events");
      const key = createTestKey();
      await verb(key, "acquire", { owner: "me" });
      await waitUntil(() => filterByEvent(first.messages, "acquired").length === 1);
      const id = filterByEvent(first.messages, "acquired")[0]?.id ?? "";
      first.leave();
      await verb(key, "release", { owner: "me" });
      const next = createTestKey();
      await verb(next, "acquire", { owner: "you" });
      const second = await openStream(server, door, "/events", { "last-event-id": id });
      await waitUntil(() => second.messages.length === 3);
      expect(second.messages.map(({ event }) => event)).toEqual(["hello", "released", "acquired"]);
      second.leave();
    });

    it("the event stream sends reset and a snapshot of every held lock for an unknown Last-Event-ID", async () => {
      const key = createTestKey();
      await verb(key, "acquire", { owner: "me" });
      const { messages, leave } = await openStream(server, door, "/events", {
        "last-event-id": "other-process-17",
      });
      await waitUntil(() => filterByEvent(messages, "reset").length > 0);
      expect(messages[1]?.event).toBe("reset");
      const told = () => [
        ...filterByEvent(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...filterByEvent(messages, "acquired").map(({ data }) => data.key),
      ];
      await waitUntil(() => told().includes(key));
      expect(told().filter((each) => each === key)).toHaveLength(1);
      leave();
    });

    it("the event stream reports each lock acquired during a snapshot exactly once", async () => {
      const keys = Array.from({ length: 200 }, createTestKey);
      const streams: Awaited<ReturnType<typeof openStream>>[] = [];
      const taking = keys.map(async (key, n) => {
        await verb(key, "acquire", { owner: "me" });
        if (n % 10 === 0)
          streams.push(await openStream(server, door, "/events", { "last-event-id": "other-1" }));
      });
      await Promise.all(taking);
      const toldBy = ({ messages }: (typeof streams)[number]) => [
        ...filterByEvent(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...filterByEvent(messages, "acquired").map(({ data }) => data.key),
      ];
      const knowsAll = (stream: (typeof streams)[number]) => {
        const told = new Set(toldBy(stream));
        return keys.every((key) => told.has(key));
      };
      await waitUntil(() => streams.every(knowsAll));
      for (const stream of streams) {
        const told = toldBy(stream).filter((key) => keys.includes(key));
        expect(told).toHaveLength(new Set(told).size);
        stream.leave();
      }
    });
  });

  describe("GET /live", () => {
    it("the live stream sends the requested window, health every second and all events on request", async () => {
      const name = randomUUID();
      const asked = `/live?filter=${name}&sort=-key&limit=2&events=all`;
      const { messages, leave } = await openStream(server, door, asked);
      for (const each of ["a", "b", "c"]) await verb(`lock:${name}:${each}`, "acquire", { owner: "me" });
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

    it("the live stream sends nothing about locks outside the window", async () => {
      const { messages, leave } = await openStream(server, door, `/live?filter=${randomUUID()}&limit=2`);
      await waitUntil(() => filterByEvent(messages, "window").length === 1);
      const { held } = filterByEvent(messages, "window")[0]?.data ?? {};
      await verb(createTestKey(), "acquire", { owner: "me" });
      // The number of held locks is the one thing that changed.
      await waitUntil(() => findWindow(messages)?.held === held + 1);
      expect(findWindow(messages)?.items).toEqual([]);
      expect(filterByEvent(messages, "events")).toEqual([]);
      leave();
    });

    it("the live stream sends only the row that changed", async () => {
      const name = randomUUID();
      for (let n = 0; n < 20; n++) await verb(`lock:${name}:${n}`, "acquire", { owner: "me" });
      const { messages, leave } = await openStream(server, door, `/live?filter=${name}&limit=50`);
      await waitUntil(() => findWindow(messages)?.items.length === 20);
      const told = messages.length;
      await verb(`lock:${name}:7`, "acquire", { owner: "me" });
      await waitUntil(
        () => findWindow(messages)?.items.some(({ holders }) => holders[0]?.count === 2) === true,
      );
      const since = messages.slice(told);
      const changed = filterByEvent(since, "rows").flatMap(({ data }) => data.rows.filter(isLock));
      expect(changed.map(({ key }) => key)).toEqual([`lock:${name}:7`]);
      expect(filterByEvent(since, "window")).toEqual([]);
      leave();
    });

    it("the live stream updates a row when another key gets the same token", async () => {
      const [name, token] = [randomUUID(), randomUUID().replaceAll("-", "")];
      const direct = server.redis.createClient();
      await direct.set(`lock:${name}:a`, token, "PX", 60_000);
      const { messages, leave } = await openStream(server, door, `/live?filter=lock:${name}:a`);
      await waitUntil(() => findWindow(messages)?.items.length === 1);
      expect(findWindow(messages)?.items[0]?.sharedWith).toEqual([]);
      await direct.set(`lock:${name}:b`, token, "PX", 60_000);
      await waitUntil(() => findWindow(messages)?.items[0]?.sharedWith[0]?.key === `lock:${name}:b`);
      leave();
    });

    it("the live stream sends only the events of the watched lock", async () => {
      const key = createTestKey();
      const { messages, leave } = await openStream(server, door, `/live?limit=0&lock=${key}`);
      await waitUntil(() => filterByEvent(messages, "lock").length === 1);
      await verb(createTestKey(), "acquire", { owner: "me" });
      await verb(key, "acquire", { owner: "me" });
      await waitUntil(() => collectEvents(messages).length === 1);
      expect(collectEvents(messages)).toMatchObject([{ type: "acquired", key }]);
      leave();
    });

    it("the live stream accepts the maximum number of pinned keys of maximum length", async () => {
      const keep = Array.from({ length: 200 }, (_, n) => `lock%3A${n}`.padEnd(2048, "x"));
      const { status } = await server.call("/live/none", { body: { keep } });
      expect(status).toBe(404);
    });

    it("the live stream follows a change of the tab's view", async () => {
      const key = createTestKey();
      await verb(key, "acquire", { owner: "me" });
      const { messages, leave } = await openStream(server, door, `/live?filter=nothing-matches&limit=10`);
      await waitUntil(() => filterByEvent(messages, "hello").length === 1);
      const stream = filterByEvent(messages, "hello")[0]?.data.stream;
      const { status } = await server.call(`/live/${stream}`, { body: { filter: key, lock: key } });
      expect(status).toBe(204);
      await waitUntil(() => findWindow(messages)?.total === 1);
      await waitUntil(() => filterByEvent(messages, "lock").at(-1)?.data.lock.holders.length === 1);
      await verb(key, "release", { owner: "me" });
      await waitUntil(() => filterByEvent(messages, "lock").at(-1)?.data.lock.holders.length === 0);
      leave();
      await waitUntil(async () => (await server.call(`/live/${stream}`, { body: {} })).status === 404);
    });

    it("the live stream updates a row that time alone moves into or out of the window", async () => {
      const key = createTestKey();
      const tabs = await Promise.all([0, 1].map(() => openStream(server, door, "/live?limit=0")));
      const look = async (tab: number, filter: string) => {
        await waitUntil(() => filterByEvent(tabs[tab]?.messages ?? [], "hello").length === 1);
        const stream = filterByEvent(tabs[tab]?.messages ?? [], "hello")[0]?.data.stream;
        return await server.call(`/live/${stream}`, { body: { filter, limit: 10 } });
      };
      const rowsOf = (tab: number) => findWindow(tabs[tab]?.messages ?? [])?.items.length;
      expect((await look(0, "held>soon")).body.code).toBe("invalid");
      await look(0, `key:${key} held<2s`);
      await look(1, `key:${key} held>2s`);
      await verb(key, "acquire", { owner: "me", leaseMs: 60_000 });
      await waitUntil(() => rowsOf(0) === 1 && rowsOf(1) === 0);
      await waitUntil(() => rowsOf(0) === 0 && rowsOf(1) === 1, 8000);
      for (const { leave } of tabs) leave();
    });

    it("the live stream reports a Redis outage and its recovery at once", async () => {
      const { messages, leave } = await openStream(server, door, "/live");
      await waitUntil(() => filterByEvent(messages, "health").length > 0);
      await server.redis.kill();
      await waitUntil(() => filterByEvent(messages, "health").at(-1)?.data.state === "down", 3000);
      await server.redis.restart();
      await waitUntil(() => filterByEvent(messages, "health").at(-1)?.data.state === "live");
      leave();
    });
  });
});

describe("slow tabs", () => {
  it("a tab that stops reading gets the latest state when it resumes, with bounded memory", async () => {
    const server = await startTestServer();
    const { hostname, port } = new URL(server.url);
    const key = createTestKey();
    for (let n = 0; n < 100; n++) await server.call(`/locks/${key}:${n}/acquire`, { body: { owner: "me" } });
    const socket = connect(Number(port), hostname);
    const read: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => read.push(chunk));
    const view = `filter=${key}&limit=200&events=all`;
    socket.write(`GET /api/v1/live?${view} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\n\r\n`);
    const text = () => Buffer.concat(read).toString();
    await waitUntil(() => text().includes("event: window"));
    socket.pause();
    const direct = server.redis.createClient();
    const locks = Array.from({ length: 100 }, (_, n) => `${key}:${n}`);
    // More than the sockets of both ends take.
    for (let round = 0; round < 60; round++) {
      await Promise.all(locks.map((lock) => direct.pexpire(lock, 60_000 + round)));
      const word = `waiting\t${Date.now()}\t\t0\t0\t\t${"o".repeat(15_000)}\t\nlock:a`;
      await Promise.all(Array.from({ length: 20 }, () => direct.publish("lockkeeper:events:0", word)));
    }
    await server.call(`/locks/${key}:5/acquire`, { body: { owner: "me" } });
    const before = Buffer.concat(read).length;
    socket.resume();
    await waitUntil(() => /"skipped":[1-9]/.test(text()) && /"count":2/.test(text().slice(before)));
    socket.destroy();
    await server.stop();
  });
});

describe("slow event readers", () => {
  it("an event reader that stops reading is disconnected without harm to others", async () => {
    const server = await startTestServer();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    const closed = once(socket, "close");
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    // As our scripts say that somebody waits, with the longest name that is passed on.
    const word = `waiting\t${Date.now()}\t\t0\t0\t\t${"o".repeat(15_000)}\t\nlock:a`;
    const direct = server.redis.createClient();
    for (let n = 0; n < 1000; n++) await direct.publish("lockkeeper:events:0", word);
    expect((await server.call("/locks")).status).toBe(200);
    socket.resume();
    await closed;
    expect((await server.call("/locks")).status).toBe(200);
    await server.stop();
  });
});
