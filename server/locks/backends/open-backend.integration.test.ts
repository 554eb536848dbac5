import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort, startTestRedis, type TestRedis } from "../../../test/support/test-redis.ts";
import { StartupError } from "../../errors/startup-error.ts";
import { openBackend, type RedisLocation } from "./open-backend.ts";

const PASSWORD = "open-sesame";

let ports: number[];
let redis: TestRedis;

beforeAll(async () => {
  ports = [await findFreePort(), await findFreePort()];
  redis = await startTestRedis({ password: PASSWORD });
});

afterAll(() => redis.stop());

/** Returns the error message of `openBackend` for URLs on which no server listens. Each URL contains a password. */
async function openUnreachable(create: (urls: string[]) => RedisLocation): Promise<string> {
  const urls = ports.map((port) => `redis://:${PASSWORD}@127.0.0.1:${port}`);
  return await getOpenError(create(urls));
}

async function getOpenError(where: RedisLocation): Promise<string> {
  const error = await openBackend(where, ["*"]).then(
    (backend) => backend.close(),
    (why: unknown) => why,
  );
  expect(error).toBeInstanceOf(StartupError);
  expect(error).not.toHaveProperty("cause");
  return (error as StartupError).message;
}

describe.concurrent("an address that cannot be reached", () => {
  it("standalone: the error names the address and the connection error", async () => {
    expect(await openUnreachable(([url = ""]) => url)).toBe(
      `Could not reach Redis at 127.0.0.1:${ports[0]} within 5 s (connect ECONNREFUSED).`,
    );
  });

  it("a host with several addresses: the error names one of them", async () => {
    const error = await getOpenError(`redis://localhost:${ports[0]}/3`);
    expect(error).toMatch(
      /^Could not reach Redis at localhost:\d+ within 5 s \(connect ECONNREFUSED [\d.:]+\)\.$/,
    );
  });

  it("Sentinel: the error names the master and each sentinel", async () => {
    expect(await openUnreachable((sentinel) => ({ sentinel, master: "locks" }))).toBe(
      `Could not reach the master locks of the sentinels 127.0.0.1:${ports[0]}, 127.0.0.1:${ports[1]} within 5 s (No sentinel names the master locks: connect ECONNREFUSED 127.0.0.1:${ports[0]}).`,
    );
  });

  it("Cluster: the error names each node", async () => {
    expect(await openUnreachable((cluster) => ({ cluster }))).toBe(
      `Could not reach Redis Cluster at 127.0.0.1:${ports[0]}, 127.0.0.1:${ports[1]} (connect ECONNREFUSED).`,
    );
  });

  it("quorum: the error names each master, also when a minority is there", async () => {
    const error = await openUnreachable((urls) => ({ quorum: [...urls, redis.url] }));
    expect(error).toBe(
      `Could not reach a majority of the Redis masters 127.0.0.1:${ports[0]}, 127.0.0.1:${ports[1]}, 127.0.0.1:${redis.port} within 5 s (127.0.0.1:${ports[0]}: connect ECONNREFUSED; 127.0.0.1:${ports[1]}: connect ECONNREFUSED).`,
    );
  });

  it("a server that accepts the connection and stays silent has no connection error", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const error = await getOpenError(`redis://127.0.0.1:${port}`);
    server.close();
    expect(error).toMatch(
      new RegExp(`^Could not reach Redis at 127\\.0\\.0\\.1:${port} within 5 s \\(.+\\)\\.$`),
    );
  });

  it("a wrong password is not repeated", async () => {
    const error = await getOpenError(`redis://:wrong-sesame@127.0.0.1:${redis.port}`);
    expect(error).toMatch(/^Could not reach Redis at 127\.0\.0\.1:\d+ within 5 s \(.*WRONGPASS.*\)\.$/);
    expect(error).not.toContain("sesame");
  });
});

it("a server that is not a cluster keeps its own error", async () => {
  expect(await getOpenError({ cluster: [redis.url] })).toContain("cluster support disabled");
});
