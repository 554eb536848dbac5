import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Redis } from "ioredis";
import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { ROOT_KEY, type TestServer, waitUntil } from "../../../test/support/test-server.ts";
import { countOpenStreams, type StreamMessage, TestStream } from "../../../test/support/test-stream.ts";

const LOCKS = 20_000;
const UNKNOWN_ID = { "last-event-id": "other-process-17" };
const END_TYPES = new Set(["released", "expired", "evicted", "force_released"]);

const it = serverTest().extend("planted", { scope: "file" }, async ({ server, direct }) => {
  await plantLocks(server, direct, LOCKS);
  return LOCKS;
});

/** Creates locks as another library would, each about 1 KB in JSON. */
async function plantLocks(server: TestServer, direct: Redis, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1000) {
    const batch = direct.pipeline();
    for (let n = at; n < at + 1000; n++)
      batch.set(`lock:planted:${n}`, `token${n}`.padEnd(32, "x"), "PX", 3_600_000);
    await batch.exec();
  }
  await waitUntil(async () => (await server.call("/locks?limit=1")).body.total >= count, 60_000);
}

/** Acquires and releases locks at about `perSecond` changes per second, until `stop` is called. */
function startChanges(server: TestServer, perSecond: number) {
  let isStopped = false;
  let changes = 0;
  const releases: Promise<unknown>[] = [];
  const change = async () => {
    for (let n = 0; !isStopped; n++) {
      const hold = await server.acquire(`lock:changing:${n % 50}:${n}`, { owner: `owner-${n}` });
      // Every third lock is held for 200 ms, while others are acquired and released. Every tenth lock is never
      // released.
      if (n % 10 !== 0) {
        const release = sleep(n % 3 === 0 ? 200 : 0).then(() => server.callHold(hold, "release"));
        releases.push(release);
        changes++;
      }
      changes++;
      await sleep(1500 / perSecond);
    }
    await Promise.all(releases);
  };
  const done = change();
  return {
    get count() {
      return changes;
    },
    async stop() {
      isStopped = true;
      await done;
    },
  };
}

/** Returns the owner of each held lock by key, as a reader would derive it from the messages. */
function replayMessages(messages: readonly StreamMessage[]): Map<string, string> {
  const holders = new Map<string, string>();
  for (const { event, data } of messages) {
    if (event === "reset") holders.clear();
    else if (event === "snapshot")
      for (const {
        key,
        holders: [holder],
      } of data.items)
        holders.set(key, holder.owner);
    else if (END_TYPES.has(event)) {
      if (!data.count) holders.delete(data.key);
    } else if (["acquired", "seen", "recreated"].includes(event)) holders.set(data.key, data.owner);
  }
  return holders;
}

async function listHolders(server: TestServer): Promise<Map<string, string>> {
  const { body } = await server.callUntilAvailable("/export/locks?format=jsonl");
  const locks = String(body)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { key: string; holders: { owner: string }[] });
  return new Map(locks.map(({ key, holders: [holder] }) => [key, holder?.owner ?? ""]));
}

const isComplete = ({ messages }: TestStream) =>
  messages.some(({ event, data }) => event === "snapshot" && data.complete === true);

/** Opens an event stream and reads it at a limited rate. */
function readSlowly(server: TestServer, bytesPerRead: number, everyMs: number) {
  const socket = server.openSocket();
  const head = `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\nLast-Event-ID: other-1\r\n\r\n`;
  socket.write(head);
  let tail = "";
  const reader = { bytes: 0, isComplete: false, isClosed: false, socket };
  socket.on("close", () => {
    reader.isClosed = true;
  });
  const timer = setInterval(() => {
    const chunk: Buffer | null = socket.read(Math.min(bytesPerRead, socket.readableLength)) as Buffer | null;
    if (chunk === null) return;
    reader.bytes += chunk.length;
    tail = (tail + chunk.toString("latin1")).slice(-3 * bytesPerRead);
    if (tail.includes('"complete":true')) reader.isComplete = true;
  }, everyMs);
  socket.on("close", () => clearInterval(timer));
  return reader;
}

function isSameMap(one: Map<string, string>, two: Map<string, string>): boolean {
  return one.size === two.size && [...one].every(([key, value]) => two.get(key) === value);
}

function measureMemoryBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("snapshots of 20,000 locks", () => {
  it("every reader that reads gets a complete snapshot and the final state while locks change", async ({
    server,
    planted,
  }) => {
    const changes = startChanges(server, 100);
    const readers: TestStream[] = [];
    for (let n = 0; n < 2; n++) {
      readers.push(await TestStream.open(server, "/events", UNKNOWN_ID));
      await sleep(200);
    }
    await waitUntil(() => readers.every(isComplete), 60_000);
    const late = await TestStream.open(server, "/events", UNKNOWN_ID);
    readers.push(late);
    await waitUntil(() => isComplete(late), 60_000);
    await changes.stop();
    expect(changes.count).toBeGreaterThan(20);
    for (const { messages, leave } of readers) {
      await waitUntil(async () => {
        const held = await listHolders(server);
        return held.size >= planted && isSameMap(replayMessages(messages), held);
      }, 10_000);
      expect(messages.filter(({ event }) => event === "reset")).toHaveLength(1);
      leave();
    }
  }, 120_000);

  it("a slow reader that keeps reading gets a complete snapshot and then events", async ({
    server,
    planted,
  }) => {
    const reader = readSlowly(server, 64 * 1024, 20);
    await waitUntil(() => reader.isComplete, 60_000);
    expect([reader.isClosed, planted]).toEqual([false, LOCKS]);
    const before = reader.bytes;
    await server.acquire("lock:after-slow-snapshot");
    await waitUntil(() => reader.bytes > before);
    reader.socket.destroy();
  }, 120_000);

  it("20 readers that take nothing hold little memory, and other requests are served meanwhile", async ({
    server,
    planted,
  }) => {
    const startedAt = performance.now();
    const honest = await TestStream.open(server, "/events", UNKNOWN_ID);
    await waitUntil(() => isComplete(honest), 60_000);
    const snapshotMs = performance.now() - startedAt;
    const snapshotBytes = honest.text.length;
    honest.leave();
    await honest.ended;
    const before = measureMemoryBytes();
    const readers = Array.from({ length: 20 }, () => readSlowly(server, 0, 60_000));
    for (const { socket } of readers) socket.pause();
    let slowestMs = 0;
    for (let n = 0; n < 50; n++) {
      const askedAt = performance.now();
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    }
    await waitUntil(async () => (await countOpenStreams(server)) >= 20);
    await sleep(1000);
    const growth = measureMemoryBytes() - before;
    for (const { socket } of readers) socket.destroy();
    expect(planted).toBe(LOCKS);
    // If the server buffered entire snapshots, memory would grow 20 times as much.
    expect(growth).toBeLessThan(2 * snapshotBytes);
    expect(slowestMs).toBeLessThan(snapshotMs);
  }, 120_000);
});
