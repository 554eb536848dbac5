import { startTestRedis, type TestRedis } from "../../support/test-redis.ts";
import { startTestServer, type TestServer, waitUntil } from "../../support/test-server.ts";
import { assert, expect } from "../figures.ts";
import { expectAllPrinted, type RunningWatcher, startWatcher, WITHIN_MS } from "./running-watcher.ts";
import { type StreamProxy, startStreamProxy } from "./stream-proxy.ts";
import type { WatchRunner } from "./watch-runners.ts";

/** Maximum time in ms until a program opens a new connection. The programs abandon a silent connection after 15 s. */
const SILENCE_NOTICED_MS = 60_000;
const HISTORY_MAX = 1000;
/** Number of locks for which the `snapshot` line is longer than 64 KiB but still fits in one message. */
const MANY_LOCKS = 150;

async function makeEvents(server: TestServer, key: string): Promise<void> {
  await server.callHold(await server.acquire(key), "release");
}

/** Refuses the event stream at least `times` times while `work` causes events. */
async function makeEventsWhileRefused(
  proxy: StreamProxy,
  times: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = proxy.refusedCount;
  proxy.mode = "bad_gateway";
  proxy.cut();
  await work();
  await waitUntil(() => proxy.refusedCount >= before + times, WITHIN_MS);
  proxy.mode = "pass";
}

/**
 * Proves that events are printed exactly once if they occur while the stream is refused with an HTML page, if the
 * connection is cut in the middle of an event, and if the server restarts.
 */
export async function proveResumption(runner: WatchRunner): Promise<string> {
  const redis = await startTestRedis();
  const environment = { REDIS_URL: redis.url, LOCKKEEPER_HISTORY_MAX: String(HISTORY_MAX) };
  let server = await startTestServer({ environment });
  await makeEvents(server, "lock:earlier");
  const proxy = await startStreamProxy(server.url);
  const watcher = startWatcher(runner, proxy.url);
  const expectPrinted = (lastKey: string) => expectAllPrinted(server, watcher, lastKey, proxy.firstNewestId);
  try {
    await waitUntil(() => proxy.streamCount === 1, WITHIN_MS);
    // The program has not received an event yet, so it cannot send a last event id.
    await makeEventsWhileRefused(proxy, 2, () => makeEvents(server, "lock:cut"));
    await expectPrinted("lock:cut");

    proxy.cutInNextMessage();
    await makeEvents(server, "lock:half");
    await expectPrinted("lock:half");

    await makeEvents(server, "lock:before-restart");
    await server.stop();
    server = await startTestServer({ environment });
    proxy.serverUrl = server.url;
    await makeEvents(server, "lock:after-restart");
    const count = await expectPrinted("lock:after-restart");

    await proveMissedReported(server, redis, proxy, watcher);
    return `${count} events over ${proxy.streamCount} connections, each printed once`;
  } finally {
    watcher.stop();
    await proxy.stop();
    await server.stop();
    await redis.stop();
  }
}

/** Proves that a gap is reported if more events than the history keeps occur while the program is disconnected. */
async function proveMissedReported(
  server: TestServer,
  redis: TestRedis,
  proxy: StreamProxy,
  watcher: RunningWatcher,
): Promise<void> {
  await makeEventsWhileRefused(proxy, 1, async () => {
    const pipeline = redis.createClient().pipeline();
    for (let n = 0; n < HISTORY_MAX + 100; n++) pipeline.set(`lock:many:${n}`, "token", "PX", 600_000);
    await pipeline.exec();
    await waitUntil(async () => {
      const { items } = (await server.call("/history?order=oldest_first&limit=1")).body;
      return items[0]?.key?.startsWith("lock:many:");
    }, WITHIN_MS);
    await makeEvents(server, "lock:last");
  });
  await waitUntil(() => /^\S+ released .*"lock:last"/m.test(watcher.readOutput()), WITHIN_MS);
  assert(/^- gap .*oldest/m.test(watcher.readOutput()), () => `no gap reported: ${watcher.readComplaints()}`);
}

/** Proves that a program abandons a silent connection and applies its filter to the next connection. */
export async function proveSilenceNoticed(runner: WatchRunner): Promise<string> {
  const server = await startTestServer();
  const proxy = await startStreamProxy(server.url);
  const watcher = startWatcher(runner, proxy.url, ["key=lock:wanted:*&type=acquired"]);
  try {
    await waitUntil(() => proxy.streamCount === 1, WITHIN_MS);
    await makeEvents(server, "lock:wanted:1");
    await makeEvents(server, "lock:other");
    await waitUntil(() => watcher.listEvents().length === 1, WITHIN_MS);
    proxy.isSilent = true;
    const silentAt = performance.now();
    await makeEvents(server, "lock:wanted:2");
    await waitUntil(() => proxy.streamCount === 2, SILENCE_NOTICED_MS);
    const noticedAfterMs = performance.now() - silentAt;
    await makeEvents(server, "lock:wanted:3");
    await waitUntil(() => watcher.listEvents().length >= 3, WITHIN_MS);
    const keys = watcher.listEvents().map(({ key }) => key);
    expect("keys of printed events", keys, ["lock:wanted:1", "lock:wanted:2", "lock:wanted:3"]);
    return `a new connection ${(noticedAfterMs / 1000).toFixed(1)} s after the last data`;
  } finally {
    watcher.stop();
    await proxy.stop();
    await server.stop();
  }
}

/**
 * Proves that a program reports an unknown last event id together with the held locks, and that a rejected API key ends
 * a program.
 */
export async function proveResetAndRefusal(runner: WatchRunner): Promise<string> {
  const server = await startTestServer();
  const proxy = await startStreamProxy(server.url);
  const watcher = startWatcher(runner, proxy.url);
  const refused = startWatcher(runner, server.url, [], "lk_wrong");
  try {
    await waitUntil(() => proxy.streamCount === 1, WITHIN_MS);
    // The history was empty when the stream began, so the program has no last event id yet.
    const keys = Array.from({ length: MANY_LOCKS }, (_, n) => `lock:held:${n}`);
    await makeEventsWhileRefused(proxy, 1, () =>
      Promise.all(keys.map((key) => server.acquire(key, { leaseMs: 600_000 }))),
    );
    await waitUntil(() => watcher.listEvents().length >= MANY_LOCKS, WITHIN_MS);
    proxy.lastEventId = "999999999999999-0";
    proxy.cut();
    await waitUntil(
      () => /^- reset .*\n(?:- snapshot .*\n)*- snapshot .*"lock:held:9"/m.test(watcher.readOutput()),
      WITHIN_MS,
    );
    proxy.lastEventId = undefined;
    proxy.cut();
    await makeEvents(server, "lock:news");
    await expectAllPrinted(server, watcher, "lock:news", proxy.firstNewestId);
    expect("exit status of a refused program", await refused.ended, 1);
    assert(refused.readComplaints().includes('"unauthenticated"'), () => refused.readComplaints());
    return "an unknown last id is reported with the held locks, and a wrong key ends it with status 1";
  } finally {
    watcher.stop();
    refused.stop();
    await proxy.stop();
    await server.stop();
  }
}
