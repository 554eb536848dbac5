import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort, findTestBinary } from "../../../test/support/test-redis.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { startEmbeddedRedis } from "./embedded-redis.ts";
import { isRunning, sendSignal, waitUntilGone } from "./server-process.ts";
import { tryStartLock } from "./start-lock.ts";

const RESTART_MS = 15_000;

async function startSupervised() {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-supervisor-")));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const redis = await startEmbeddedRedis({
    binary: await findTestBinary(),
    dataDir,
    preferredPort: await findFreePort(),
    onUnexpectedEnd: (line) => lines.push(line),
  });
  onTestFinished(() => redis.stop());
  const ping = async () => {
    const client = new Redis(redis.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on("error", () => {});
    const reply = await client.ping().catch(() => "no reply");
    client.disconnect();
    return reply;
  };
  return { redis, lines, ping, dataDir };
}

test("a killed server is started again with the same port and passwords, and each end is one line", async () => {
  const { redis, lines, ping } = await startSupervised();
  const { url, port } = redis;
  for (const round of [1, 2]) {
    const { pid } = redis;
    sendSignal(pid, "SIGKILL");
    await waitUntil(() => lines.length === round, RESTART_MS);
    expect(lines[round - 1]).toBe(
      `The embedded Redis (pid ${pid}) ended; it runs again with pid ${redis.pid}.`,
    );
    expect([redis.url, redis.port, await ping()]).toEqual([url, port, "PONG"]);
  }
}, 40_000);

test("while another program has its port, the server is not moved, and is started once the port is free", async () => {
  const { redis, lines, ping, dataDir } = await startSupervised();
  const { pid, port } = redis;
  // Prevents a restart of the server until the other program listens on the port.
  const release = await tryStartLock(dataDir);
  sendSignal(pid, "SIGKILL");
  await waitUntilGone(pid, 2_000);
  const other = createServer((socket) => void socket.on("error", () => {}).destroy());
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  await release?.();
  await waitUntil(() => lines.some((line) => line.includes("Retrying")), RESTART_MS);
  expect(lines).toEqual([
    `The embedded Redis (pid ${pid}) ended and could not be started: another program listens on port ${port}. Retrying.`,
  ]);
  other.close();
  await waitUntil(() => lines.length === 2, RESTART_MS);
  expect(await ping()).toBe("PONG");
}, 40_000);

test("stop ends a server that is being started again, and nothing starts it afterwards", async () => {
  const { redis } = await startSupervised();
  const first = redis.pid;
  sendSignal(first, "SIGKILL");
  await waitUntil(() => redis.pid !== first, RESTART_MS);
  const { pid } = redis;
  await redis.stop();
  await waitUntil(() => !isRunning(pid));
  expect(redis.pid).toBe(pid);
});
