import { describe, expect } from "vitest";
import { locksTest } from "../../test/support/fixtures.ts";
import { createTestKey, getErrorCode } from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { ATTEMPT_BUDGET_MS } from "./verbs/attempt.ts";

const it = locksTest();

describe("Redis outage", () => {
  it("an acquire during an outage returns unavailable within the time budget and works again after a restart", async ({
    env,
    acquire,
  }) => {
    const { redis, connection } = env;
    await redis.kill();
    // Waits until the connection has closed. An earlier call could correctly have an unknown outcome.
    await waitUntil(() => connection.status !== "ready");
    const startedAt = performance.now();
    expect(await getErrorCode(acquire(createTestKey(), "me"))).toBe("unavailable");
    expect(performance.now() - startedAt).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
    await redis.restart();
    expect((await acquire(createTestKey(), "me")).count).toBe(1);
  });

  it("an acquire succeeds when Redis is back within the time budget", async ({ env, acquire }) => {
    const { redis } = env;
    await redis.kill();
    const acquired = acquire(createTestKey(), "me");
    await redis.restart();
    expect((await acquired).count).toBe(1);
  });
});
