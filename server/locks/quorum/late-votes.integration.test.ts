import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startTestMasters, type TestMasters } from "../../../test/support/test-masters.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockkeeperError } from "../../errors/lockkeeper-error.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { openBackend } from "../backends/open-backend.ts";
import type { Backend } from "../verbs/backend.ts";
import type { AcquireOptions } from "../verbs/verbs.ts";

let masters: TestMasters;
let backend: Backend;

beforeAll(async () => {
  masters = await startTestMasters(5);
  backend = await openBackend({ quorum: masters.urls }, ["*"]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  backend.close();
  await masters.stop();
});

const LEASE_MS = 20_000;
const createKey = () => `lock:${randomUUID()}`;
const acquire = async (key: string, owner: string, more: Partial<AcquireOptions> = {}) =>
  (await backend.verbs.acquire(key, { owner, leaseMs: LEASE_MS, reentrant: true, ...more })).grant;
const release = (key: string, owner: string) => backend.verbs.release(key, { owner });
const catchLockError = (call: Promise<unknown>): Promise<LockkeeperError> =>
  call.then(
    () => Promise.reject(new Error("it was granted")),
    (error) => (error instanceof LockkeeperError ? error : Promise.reject(error)),
  );
const catchErrorCode = async (call: Promise<unknown>) => (await catchLockError(call)).code;
const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);
const readFences = async (key: string) =>
  (await masters.readCompanions(key)).map((hold) => hold?.fence ?? null);

describe("late votes", () => {
  /** Has one of the masters carry out what it is asked only after the others have decided. */
  async function isLate(master: number): Promise<void> {
    await masters.getClient(master).call("CLIENT", "PAUSE", "600", "WRITE");
  }

  it("a late vote joins its hold under the agreed fencing token and is released with it", async () => {
    const key = createKey();
    await isLate(2);
    const startedAt = performance.now();
    const { fence } = await acquire(key, "me");
    expect(performance.now() - startedAt).toBeLessThan(400);
    await waitUntil(async () => (await readFences(key))[2] === fence);
    expect(await masters.readHolders(key)).toEqual(everywhere("me"));
    await release(key, "me");
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a late vote from a master with a clock ahead does not keep its own fencing token", async () => {
    const key = createKey();
    const ahead = await masters.advanceFence(key, 2, 10_000);
    await isLate(2);
    const { fence } = await acquire(key, "me");
    expect(BigInt(fence ?? 0)).toBeLessThan(ahead);
    await waitUntil(async () => (await readFences(key))[2] === fence);
    await release(key, "me");
    await masters.occupy(key, [0, 1]);
    expect(BigInt((await acquire(key, "me")).fence ?? 0)).toBeGreaterThan(BigInt(fence ?? 0));
  });

  it("a late vote is withdrawn when the acquire was refused", async () => {
    const key = createKey();
    await masters.occupy(key, [0, 1, 3]);
    await isLate(2);
    expect(await catchErrorCode(acquire(key, "me"))).toBe("held");
    const companion = String(buildCompanionKey(key));
    // It voted, and was told to take it back: that is what it remembers.
    await waitUntil(async () => (await masters.getClient(2).get(companion))?.includes("withdrawn") === true);
    expect(await masters.readHolders(key)).toEqual(["somebody", "somebody", null, "somebody", null]);
  });
});
