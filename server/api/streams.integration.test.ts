import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Door, ROOT_KEY, startTestServer, type TestServer, until } from "../testing/server.ts";

interface Message {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  data: any;
}

/** An open stream and what it has said so far. */
async function open(server: TestServer, door: Door, path: string, headers: Record<string, string> = {}) {
  const leave = new AbortController();
  const request = new Request(`${server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${ROOT_KEY}`, ...headers },
    signal: leave.signal,
  });
  const response = await (door === "next" ? server.runtime.answer(request) : fetch(request));
  const messages: Message[] = [];
  const ended = read(response, messages).catch(() => undefined);
  return { response, messages, ended, leave: () => leave.abort() };
}

async function read(response: Response, messages: Message[]): Promise<void> {
  let text = "";
  for await (const chunk of decoded(response.body)) {
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

async function* decoded(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
}

const named = (messages: Message[], event: string) => messages.filter((message) => message.event === event);
const fresh = () => `lock:${randomUUID()}`;

describe.each(["fast", "next"] as Door[])("through the %s door", (door) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ door });
  });
  afterAll(async () => await server.stop());

  const verb = (key: string, name: string, body: unknown) => server.call(`/locks/${key}/${name}`, { body });

  describe("GET /events", () => {
    it("begins with hello and tells what happens, with an id each", async () => {
      const { response, messages, leave } = await open(server, door, "/events");
      expect(response.headers.get("content-type")).toContain("text/event-stream");
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      const key = fresh();
      await verb(key, "acquire", { owner: "me" });
      await verb(key, "renew", { owner: "me", leaseMs: 60_000 });
      await until(() => named(messages, "renewed").length === 1);
      expect(messages[0]).toMatchObject({ event: "hello", data: { now: expect.any(Number) } });
      expect(named(messages, "acquired")[0]?.data).toMatchObject({
        key,
        owner: "me",
        count: 1,
        observed: "exact",
      });
      expect(named(messages, "acquired")[0]?.id).toBe(named(messages, "acquired")[0]?.data.id);
      expect(named(messages, "renewed")[0]?.id).toBeUndefined();
      leave();
    });

    it("goes on after Last-Event-ID, missing and repeating nothing", async () => {
      const first = await open(server, door, "/events");
      const key = fresh();
      await verb(key, "acquire", { owner: "me" });
      await until(() => named(first.messages, "acquired").length === 1);
      const id = named(first.messages, "acquired")[0]?.id ?? "";
      first.leave();
      await verb(key, "release", { owner: "me" });
      const next = fresh();
      await verb(next, "acquire", { owner: "you" });
      const second = await open(server, door, "/events", { "last-event-id": id });
      await until(() => second.messages.length === 3);
      expect(second.messages.map(({ event }) => event)).toEqual(["hello", "released", "acquired"]);
      second.leave();
    });

    it("answers an id it does not know with reset and every held lock", async () => {
      const key = fresh();
      await verb(key, "acquire", { owner: "me" });
      const { messages, leave } = await open(server, door, "/events", {
        "last-event-id": "other-process-17",
      });
      await until(() => named(messages, "reset").length > 0);
      expect(messages[1]?.event).toBe("reset");
      const told = () => [
        ...named(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...named(messages, "acquired").map(({ data }) => data.key),
      ];
      await until(() => told().includes(key));
      expect(told().filter((each) => each === key)).toHaveLength(1);
      leave();
    });

    it("tells every lock that is taken while such a snapshot is made, once", async () => {
      const keys = Array.from({ length: 200 }, fresh);
      const streams: Awaited<ReturnType<typeof open>>[] = [];
      const taking = keys.map(async (key, n) => {
        await verb(key, "acquire", { owner: "me" });
        if (n % 10 === 0) streams.push(await open(server, door, "/events", { "last-event-id": "other-1" }));
      });
      await Promise.all(taking);
      const toldBy = ({ messages }: (typeof streams)[number]) => [
        ...named(messages, "snapshot").flatMap(({ data }) =>
          data.items.map((lock: { key: string }) => lock.key),
        ),
        ...named(messages, "acquired").map(({ data }) => data.key),
      ];
      const knowsAll = (stream: (typeof streams)[number]) => {
        const told = new Set(toldBy(stream));
        return keys.every((key) => told.has(key));
      };
      await until(() => streams.every(knowsAll));
      for (const stream of streams) {
        const told = toldBy(stream).filter((key) => keys.includes(key));
        expect(told).toHaveLength(new Set(told).size);
        stream.leave();
      }
    });
  });

  describe("GET /live", () => {
    it("carries the window that is looked at, health every second, and every event", async () => {
      const name = randomUUID();
      const { messages, leave } = await open(server, door, `/live?filter=${name}&sort=-key&limit=2`);
      for (const each of ["a", "b", "c"]) await verb(`lock:${name}:${each}`, "acquire", { owner: "me" });
      await until(() => named(messages, "window").at(-1)?.data.total === 3);
      const window = named(messages, "window").at(-1)?.data;
      expect(window.items.map((lock: { key: string }) => lock.key.slice(-1))).toEqual(["c", "b"]);
      expect(named(messages, "event").filter(({ data }) => data.key.includes(name))).toHaveLength(3);
      await until(() => named(messages, "health").length >= 2);
      expect(named(messages, "health")[0]?.data).toMatchObject({ state: "live", notifications: "on" });
      leave();
    });

    it("says nothing of locks outside the window", async () => {
      const { messages, leave } = await open(server, door, `/live?filter=${randomUUID()}&limit=2`);
      await until(() => named(messages, "window").length === 1);
      await verb(fresh(), "acquire", { owner: "me" });
      await until(() => named(messages, "event").length === 1);
      await until(() => named(messages, "health").length >= 2);
      // The number of held locks is the one thing that changed.
      expect(named(messages, "window").every(({ data }) => data.items.length === 0)).toBe(true);
      leave();
    });

    it("changes what it carries when the tab looks elsewhere", async () => {
      const key = fresh();
      await verb(key, "acquire", { owner: "me" });
      const { messages, leave } = await open(server, door, `/live?filter=nothing-matches&limit=10`);
      await until(() => named(messages, "hello").length === 1);
      const stream = named(messages, "hello")[0]?.data.stream;
      const { status } = await server.call(`/live/${stream}`, { body: { filter: key, lock: key } });
      expect(status).toBe(204);
      await until(() => named(messages, "window").at(-1)?.data.total === 1);
      await until(() => named(messages, "lock").at(-1)?.data.lock.holders.length === 1);
      await verb(key, "release", { owner: "me" });
      await until(() => named(messages, "lock").at(-1)?.data.lock.holders.length === 0);
      leave();
      await until(async () => (await server.call(`/live/${stream}`, { body: {} })).status === 404);
    });

    it("says at once that Redis is away, and that it is back", async () => {
      const { messages, leave } = await open(server, door, "/live");
      await until(() => named(messages, "health").length > 0);
      await server.redis.kill();
      await until(() => named(messages, "health").at(-1)?.data.state === "down", 3000);
      await server.redis.restart();
      await until(() => named(messages, "health").at(-1)?.data.state === "live");
      leave();
    });
  });
});

describe("a reader that does not read", () => {
  it("is cut off, and harms nobody", async () => {
    const server = await startTestServer();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on("error", () => undefined);
    const closed = once(socket, "close");
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    // As our scripts say that somebody waits, with the longest name that is passed on.
    const word = `waiting\t${Date.now()}\t\t0\t0\t\t${"o".repeat(15_000)}\t\nlock:a`;
    const direct = server.redis.client();
    for (let n = 0; n < 1000; n++) await direct.publish("lockkeeper:events:0", word);
    expect((await server.call("/locks")).status).toBe(200);
    socket.resume();
    await closed;
    expect((await server.call("/locks")).status).toBe(200);
    await server.stop();
  });
});
