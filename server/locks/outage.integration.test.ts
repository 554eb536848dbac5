import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTestKey,
  getErrorCode,
  startTestLocks,
  type TestLocks,
} from "../../test/support/test-locks.ts";
import { waitUntil } from "../../test/support/test-server.ts";
import { ATTEMPT_BUDGET_MS } from "./verbs/attempt.ts";

let test: TestLocks;

beforeAll(async () => {
  test = await startTestLocks();
});

afterAll(() => test.stop());

describe("Redis outage", () => {
  it("an acquire during an outage returns unavailable within the time budget and works again after a restart", async () => {
    const { redis, connection, acquire } = test;
    await redis.kill();
    // What was sent into a connection that is just breaking is unknown, rightly.
    await waitUntil(() => connection.status !== "ready");
    const startedAt = performance.now();
    expect(await getErrorCode(acquire(createTestKey(), "me"))).toBe("unavailable");
    expect(performance.now() - startedAt).toBeLessThan(ATTEMPT_BUDGET_MS + 1000);
    await redis.restart();
    expect((await acquire(createTestKey(), "me")).count).toBe(1);
  });

  it("an acquire succeeds when Redis is back within the time budget", async () => {
    const { redis, acquire } = test;
    await redis.kill();
    const acquired = acquire(createTestKey(), "me");
    await redis.restart();
    expect((await acquired).count).toBe(1);
  });
});
