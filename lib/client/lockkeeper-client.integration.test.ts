import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import {
  AbortedError,
  ForbiddenError,
  HeldError,
  InvalidError,
  KeyNotAllowedError,
  NotALockError,
  UnauthenticatedError,
  UnavailableError,
  UnitConflictError,
  WaitTimeoutError,
} from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest({ environment: { LOCKKEEPER_LOCKABLE: "*lock:*" } }).extend(
  "client",
  { scope: "file" },
  ({ server }) => new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY }),
);

/** A port on which nothing listens. */
const DEAD_URL = "http://127.0.0.1:2";

describe("LockkeeperClient.acquire", () => {
  it("a hold has a fencing token, a hold id, an owner and a deadline", async ({ client, server, key }) => {
    const hold = await client.acquire(key, {
      leaseMs: 9000,
      owner: "mailer",
      record: { service: "mail", pid: 7 },
    });
    expect(hold).toMatchObject({ key, owner: "mailer", count: 1, leaseMs: 9000, state: "held" });
    expect(hold.fence).toMatch(/^\d{16}$/);
    expect(hold.remainingMs()).toBeGreaterThan(8000);
    expect(hold.remainingMs()).toBeLessThanOrEqual(9000);
    const lock = await server.readLock(key);
    expect(lock.holders[0]).toMatchObject({ holdId: hold.holdId, record: { service: "mail", pid: 7 } });
    expect(await hold.release()).toEqual({ outcome: "released", count: 0 });
    expect(hold.state).toBe("released");
    expect(() => hold.assertHeld()).toThrow("it was released");
  });

  it("automatic renewal is stated to the server, manual renewal is not", async ({ client, direct, key }) => {
    const automatic = await client.acquire(key, { leaseMs: 9000 });
    expect(await direct.get(`lockkeeper:hold:{${key}}`)).toContain("3000");
    await automatic.release();
    const manual = await client.acquire(key, { leaseMs: 9000, renewal: "manual" });
    expect(await direct.get(`lockkeeper:hold:{${key}}`)).not.toContain("3000");
    await manual.release();
  });

  it("a held lock is refused with its holder, or after the wait", async ({ client, key }) => {
    const hold = await client.acquire(key, { owner: "first" });
    const refused = await client.acquire(key).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HeldError);
    expect(refused).toMatchObject({
      code: "held",
      facts: { key, holders: [{ owner: "first", count: 1, fence: hold.fence }] },
    });
    const timedOut = await client.acquire(key, { waitMs: 60 }).catch((error: unknown) => error);
    expect(timedOut).toBeInstanceOf(WaitTimeoutError);
    expect(timedOut).toMatchObject({ code: "timeout", facts: { remainingMs: expect.any(Number) } });
    await hold.release();
  });

  it("a waiter gets the lock when it is released, with a deadline that includes the wait", async ({
    client,
    direct,
    key,
  }) => {
    const first = await client.acquire(key);
    const waiting = client.acquire(key, { waitMs: 10_000, leaseMs: 2000, renewal: "manual" });
    await waitUntil(async () => (await direct.exists(key)) === 1);
    setTimeout(() => void first.release(), 800);
    const second = await waiting;
    expect(second.remainingMs()).toBeGreaterThan(1500);
    const leftMs = await direct.pttl(key);
    expect(second.remainingMs()).toBeLessThanOrEqual(leftMs + 1);
    expect(BigInt(second.fence)).toBeGreaterThan(BigInt(first.fence));
    await second.release();
  });

  it("an aborted wait ends at once and leaves no hold behind", async ({ client, direct, key }) => {
    const first = await client.acquire(key);
    const abort = new AbortController();
    const waiting = client.acquire(key, { waitMs: 20_000, signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    await expect(waiting).rejects.toBeInstanceOf(AbortedError);
    await first.release();
    await waitUntil(async () => (await direct.exists(key)) === 0);
    const already = client.acquire(key, { signal: AbortSignal.abort() });
    await expect(already).rejects.toMatchObject({ code: "aborted" });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a lock that was granted while its acquire was aborted is released", async ({ server, direct, key }) => {
    const abort = new AbortController();
    // Simulates an abort after the server has granted the lock but before the caller receives the response.
    const client = new LockkeeperClient({
      url: server.url,
      apiKey: ROOT_KEY,
      fetch: async (input, init) => {
        const response = await fetch(input, { ...init, signal: null });
        if (abort.signal.aborted) return response;
        abort.abort();
        throw new DOMException("aborted", "AbortError");
      },
    });
    await expect(client.acquire(key, { signal: abort.signal })).rejects.toMatchObject({ code: "aborted" });
    await waitUntil(async () => (await direct.exists(key)) === 0);
  });

  it("formats, keys with special characters and lists of URLs with a dead one work", async ({
    server,
    direct,
  }) => {
    const client = new LockkeeperClient({ url: [DEAD_URL, `${server.url}/`], apiKey: ROOT_KEY });
    for (const key of [`~${createTestKey()}`, `/${createTestKey()}//x/`, `${createTestKey()} ?#%é`]) {
      const hold = await client.acquire(key, { format: "token" });
      expect(await direct.type(key)).toBe("string");
      expect(hold.format).toBe("token");
      await hold.release();
    }
  });

  it("refusals have their own classes", async ({ server, client, direct, key }) => {
    await direct.lpush(key, "data");
    await expect(client.acquire(key)).rejects.toBeInstanceOf(NotALockError);
    await direct.set(`${key}:s`, Math.ceil(Date.now() / 1000) + 60);
    const conflict = client.acquire(`${key}:s`, { format: "timestamp", unit: "ms" });
    await expect(conflict).rejects.toMatchObject({ code: "unit_conflict", facts: { unit: "s" } });
    await expect(conflict).rejects.toBeInstanceOf(UnitConflictError);
    await expect(client.acquire("other:1")).rejects.toBeInstanceOf(KeyNotAllowedError);
    await expect(client.acquire(key, { leaseMs: 5, renewal: "manual" })).rejects.toMatchObject({
      code: "invalid",
      facts: { errors: [{ field: "leaseMs" }] },
    });
    const wrong = new LockkeeperClient({ url: server.url, apiKey: "lk_wrong" });
    const startedAt = performance.now();
    await expect(wrong.acquire(key)).rejects.toBeInstanceOf(UnauthenticatedError);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    const elsewhere = new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY, target: "nowhere" });
    await expect(elsewhere.acquire(key)).rejects.toMatchObject({ code: "not_found", name: "RefusedError" });
  });

  it("a key without permission is refused, and an expired one no longer works", async ({ server, key }) => {
    const create = async (verb: "read" | "lock", expiresAt: number | null = null) => {
      const name = createTestKey().replaceAll(":", "-");
      const { body } = await server.call("/keys", { body: { name, verbs: [verb], expiresAt } });
      return new LockkeeperClient({ url: server.url, apiKey: body.secret });
    };
    const reader = await create("read");
    await expect(reader.acquire(key)).rejects.toBeInstanceOf(ForbiddenError);
    const expiring = await create("lock", Date.now() + 3000);
    const hold = await expiring.acquire(key, { renewal: "manual" });
    await waitUntil(async () => {
      const error = await hold.verify().catch((reason: unknown) => reason);
      return error instanceof UnauthenticatedError;
    });
    expect(hold.state).toBe("held");
    await expect(hold.release()).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  it("a server that cannot be reached is reported with its address after the retries", async ({ key }) => {
    const client = new LockkeeperClient({ url: DEAD_URL, apiKey: ROOT_KEY });
    const error = await client.acquire(key).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ message: "Could not reach 127.0.0.1:2 (ECONNREFUSED)." });
  });

  it("wrong options are refused before anything is sent", async ({ client, key }) => {
    await expect(client.acquire(key, { waitMS: 5 } as object)).rejects.toThrow(
      "waitMS is not an option of acquire; its options are leaseMs, waitMs",
    );
    await expect(client.acquire(key, { waitMs: -1 })).rejects.toBeInstanceOf(InvalidError);
    await expect(client.acquire(key, { waitMs: "5" } as object)).rejects.toThrow("must be of type number");
    for (const url of ["localhost:3000", "ftp://a", "https://user:secret@host", "http://h/?x"]) {
      expect(() => new LockkeeperClient({ url, apiKey: "k" })).toThrow(InvalidError);
      expect(() => new LockkeeperClient({ url, apiKey: "k" })).not.toThrow("secret");
    }
    expect(() => new LockkeeperClient({ url: [], apiKey: "k" })).toThrow("No server URL was given.");
    expect(() => new LockkeeperClient({ url: "http://h", apiKey: "a b" })).toThrow(InvalidError);
  });
});
