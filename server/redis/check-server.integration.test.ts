import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { startTestRedis, type TestRedis, type TestRedisOptions } from "../../test/support/test-redis.ts";
import { StartupError } from "../errors/startup-error.ts";
import { checkServer } from "./check-server.ts";
import { parseRedisAddress } from "./connect.ts";

const it = test.extend("start", async ({}, { onCleanup }) => {
  const started: TestRedis[] = [];
  onCleanup(async () => {
    for (const redis of started) await redis.stop();
  });
  return async (options: TestRedisOptions = {}) => {
    const redis = await startTestRedis(options);
    started.push(redis);
    return redis;
  };
});

async function catchComplaint(url: string): Promise<string> {
  const error: unknown = await checkServer(parseRedisAddress(url)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StartupError)) throw new Error(`expected a StartupError, got ${String(error)}`);
  expect(error.message).not.toContain("\n");
  return error.message;
}

/** Starts a server that replies to INFO with `info`, such as that of another version. */
async function pretend(info: string): Promise<{ url: string; stop(): void }> {
  const server = createServer((socket) => {
    socket.on("data", (chunk) => {
      const commands = chunk.toString().match(/\*\d+\r\n(\$\d+\r\n[^\r]*\r\n)+/g) ?? [];
      for (const command of commands) {
        socket.write(/\binfo\b/i.test(command) ? `$${info.length}\r\n${info}\r\n` : "+OK\r\n");
      }
    });
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.close() };
}

describe("unusable Redis servers", () => {
  it("an unreachable Redis is rejected with the error and the setting to correct", async () => {
    expect(await catchComplaint("redis://127.0.0.1:1")).toMatch(
      /cannot be reached \(ECONNREFUSED\); start it or correct REDIS_URL/,
    );
  });

  it("a missing or wrong password is rejected without repeating it", async ({ start }) => {
    const { port } = await start({ password: "correct-horse" });
    expect(await catchComplaint(`redis://127.0.0.1:${port}`)).toContain("asks for a password");
    const wrong = await catchComplaint(`redis://:battery-staple@127.0.0.1:${port}`);
    expect(wrong).toContain("refuses the user or password");
    expect(wrong).not.toContain("battery-staple");
  });

  it("a Redis older than 6.2 is rejected with its version", async () => {
    const old = await pretend("redis_version:6.0.16\r\nrole:master\r\n");
    expect(await catchComplaint(old.url)).toContain("is Redis 6.0.16; Lockkeeper needs Redis 6.2");
    old.stop();
  });

  it("a cluster node given as a server is rejected", async ({ start }) => {
    const { url } = await start({ args: ["--cluster-enabled", "yes"] });
    expect(await catchComplaint(url)).toContain("cluster node");
  });

  it("a replica is rejected with the address of its master", async ({ start }) => {
    const { url } = await start({ args: ["--replicaof", "127.0.0.1", "1"] });
    expect(await catchComplaint(url)).toContain("replica of 127.0.0.1:1; give the master");
  });

  it("a database that does not exist is rejected", async ({ start }) => {
    const { port } = await start();
    expect(await catchComplaint(`redis://127.0.0.1:${port}/99`)).toContain("no such database");
  });
});

describe("usable Redis servers", () => {
  it("a usable Redis returns its product name and version, with and without a password", async ({
    start,
  }) => {
    const { url } = await start({ password: "p@ss/w:rd" });
    expect((await checkServer(parseRedisAddress(url))).name).toMatch(/^(Redis|Valkey) \d+\.\d+/);
  });
});
