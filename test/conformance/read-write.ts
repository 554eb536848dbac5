import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildCompanionKey,
  buildHolderCompanionKey,
  buildReadWriteChannel,
  buildWritersKey,
} from "../../server/formats/keys.ts";
import { buildReadLeaseKeys } from "../../server/formats/redisson/redisson-keys.ts";
import type { Grant } from "../../server/locks/verbs/contract/grant.ts";
import type { AcquireOptions } from "../../server/locks/verbs/contract/verbs.ts";
import { catchLockError, createTestKey, getErrorCode, measureMs, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { LEASE_MS, type OpenedBackend, SHORT_MS } from "./conformance-fixture.ts";

/**
 * Maximum time for a waiter that is woken, in milliseconds. Far below the 2 s after which a waiter retries without a
 * wake-up.
 */
const PROMPT_MS = 1000;
const MANY = 20;

type Kind = "read" | "write";

/** Registers the tests of read/write locks. */
export function describeReadWrite(open: () => Promise<OpenedBackend>): void {
  describe.concurrent("read/write locks", () => {
    let opened: OpenedBackend;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const acquire = async (key: string, kind: Kind, more: Partial<AcquireOptions> = {}): Promise<Grant> =>
      (await opened.verbs.acquire(key, { owner: "me", leaseMs: LEASE_MS, kind, ...more })).grant;
    const getServer = (key: string) => {
      const [server] = opened.findServers(key);
      if (server === undefined) throw new Error("the key has no server");
      return server;
    };
    const untilSubscribed = async (key: string, count = 1) => {
      const command = opened.wakesBy === "SPUBLISH" ? "SHARDNUMSUB" : "NUMSUB";
      await waitUntil(async () => {
        const reply = (await getServer(key).call(
          "PUBSUB",
          command,
          String(buildReadWriteChannel(key)),
        )) as unknown[];
        return Number(reply[1]) >= count;
      });
    };

    it("the lease of one reader ends while the others read on, and a waiting writer follows the last one", async () => {
      const key = createTestKey();
      const short = await acquire(key, "read", { leaseMs: SHORT_MS });
      const long = await acquire(key, "read", { leaseMs: 2 * SHORT_MS });
      const writing = measureMs(acquire(key, "write", { waitMs: LEASE_MS }));
      await waitUntil(async () => !(await opened.verbs.verify(short)).held);
      expect(await opened.verbs.verify(long)).toMatchObject({ held: true });
      expect(await getErrorCode(opened.verbs.renew(short))).toBe("lost");
      // The failed renewal of the first reader did not extend the lock.
      const { code, ms } = await writing;
      expect(code).toBe("ok");
      expect(ms).toBeLessThan(2 * SHORT_MS + PROMPT_MS);
    });

    it("a renewal prolongs the lease of one reader and the lock", async () => {
      const key = createTestKey();
      const [one, two] = [await acquire(key, "read"), await acquire(key, "read")];
      expect(await opened.verbs.renew(one, { leaseMs: 2 * LEASE_MS })).toMatchObject({
        remainingMs: 2 * LEASE_MS,
      });
      const batch = [{ ...two, leaseMs: LEASE_MS }];
      expect((await opened.renewMany(batch, 1000))[0]).toBeLessThanOrEqual(LEASE_MS);
      const [left] = await opened.verbs.renewHolds([{ ...two, leaseMs: 3 * LEASE_MS }]);
      expect(left).toMatchObject({ value: { remainingMs: 3 * LEASE_MS } });
      expect(await opened.verbs.verify(one)).toMatchObject({ count: 1 });
      expect(await getServer(key).pttl(key)).toBeGreaterThan(2 * LEASE_MS);
      await opened.verbs.release(two);
      expect(await getServer(key).pttl(key)).toBeLessThanOrEqual(2 * LEASE_MS);
    });

    it("the release of a writer grants all waiting readers at once, and the last reader wakes the writer", async () => {
      const key = createTestKey();
      const writer = await acquire(key, "write");
      const reading = Array.from({ length: MANY }, () => acquire(key, "read", { waitMs: LEASE_MS }));
      await untilSubscribed(key);
      await opened.verbs.release(writer);
      const { ms } = await measureMs(Promise.all(reading));
      expect(ms).toBeLessThan(PROMPT_MS);
      const readers = await Promise.all(reading);
      expect(new Set(readers.map(({ fence }) => fence))).toEqual(new Set([writer.fence]));
      const writing = acquire(key, "write", { waitMs: LEASE_MS });
      await untilSubscribed(key);
      for (const reader of readers) await opened.verbs.release(reader);
      const next = await measureMs(writing);
      expect(next.ms).toBeLessThan(PROMPT_MS);
      expect(BigInt((await writing).fence)).toBeGreaterThan(BigInt(writer.fence));
    });

    it("a downgrade admits the waiting readers and no writer, and keeps token, fence and lease", async () => {
      const key = createTestKey();
      const writer = await acquire(key, "write");
      const reading = acquire(key, "read", { waitMs: LEASE_MS });
      await untilSubscribed(key);
      const reader = await opened.verbs.downgrade(writer);
      expect(reader).toMatchObject({ kind: "read", fence: writer.fence, count: 1, owner: "me" });
      expect(`${reader.token}:write`).toBe(writer.token);
      expect((await measureMs(reading)).ms).toBeLessThan(PROMPT_MS);
      expect(await opened.verbs.downgrade(writer)).toMatchObject({ token: reader.token, kind: "read" });
      expect(await opened.verbs.verify(writer)).toMatchObject({ held: false });
      expect(await getErrorCode(acquire(key, "write"))).toBe("held");
      expect(await opened.verbs.release(reader)).toMatchObject({ outcome: "released" });
      expect(await getErrorCode(opened.verbs.downgrade(writer))).toBe("lost");
      expect(await getErrorCode(opened.verbs.downgrade({ ...(await reading) }))).toBe("invalid");
    });

    it("new readers give way to a waiting writer until it gives up or is silent", async () => {
      const key = createTestKey();
      const reader = await acquire(key, "read");
      const stop = new AbortController();
      const writing = getErrorCode(acquire(key, "write", { waitMs: LEASE_MS, signal: stop.signal }));
      await waitUntil(async () => (await getServer(key).zcard(String(buildWritersKey(key)))) === 1);
      // A reader that requests the lock in the same millisecond as the writer does not wait for the writer.
      await sleepMs(5);
      const refusal = await acquire(key, "read").catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: "held",
        message: expect.stringContaining("A writer has waited"),
      });
      const again = await opened.verbs.reenter(reader, { requestId: randomUUID() });
      expect(again.count).toBe(2);
      await acquire(key, "read", { yieldsToWriters: false });
      const reading = acquire(key, "read", { waitMs: LEASE_MS });
      await untilSubscribed(key);
      stop.abort();
      expect(await writing).toBe("aborted");
      expect((await measureMs(reading)).ms).toBeLessThan(PROMPT_MS);
      // Adds a dead writer, which remains in the list until its entry expires.
      await getServer(key).zadd(
        String(buildWritersKey(key)),
        Date.now() + SHORT_MS,
        `dead\t${Date.now() - 1000}`,
      );
      expect(await getErrorCode(acquire(key, "read"))).toBe("held");
      expect((await measureMs(acquire(key, "read", { waitMs: LEASE_MS }))).ms).toBeLessThan(
        SHORT_MS + PROMPT_MS,
      );
    });

    it("a client that readers refuse sees the owner of each, whatever its kind", async () => {
      for (const key of [createTestKey(), `${createTestKey()}{tag}:x`]) {
        const record = { host: "pod-7" };
        const one = await acquire(key, "read", { owner: "report", record });
        await acquire(key, "read", { owner: "export" });
        const foreign = `${randomUUID()}:1`;
        await getServer(key).hset(key, foreign, "1");
        const [lease = ""] = buildReadLeaseKeys(key, foreign, 1);
        await getServer(key).set(String(lease), "1", "PX", LEASE_MS);
        for (const kind of ["write", "lock", "fair"] as const) {
          const asked = { owner: "me", leaseMs: LEASE_MS, kind, waitMs: kind === "write" ? 1 : 0 };
          const refusal = await catchLockError(opened.verbs.acquire(key, asked));
          expect(refusal.facts).toHaveProperty("holders.length", 3);
          expect(refusal.message).toMatch(/held by ".+" and 2 others\./);
          expect(refusal.facts).toHaveProperty(
            "holders",
            expect.arrayContaining([
              { owner: "report", count: 1, fence: one.fence, record },
              { owner: "export", count: 1, fence: one.fence },
              { owner: foreign, count: 1, fence: null },
            ]),
          );
        }
      }
    });

    it("a lock of another kind is held and not changed, and other data is not a lock", async () => {
      for (const kind of ["read", "write"] as const) {
        const key = createTestKey();
        const hold = await acquire(key, kind);
        const before = await getServer(key).dumpBuffer(key);
        const plain = { owner: "me", leaseMs: LEASE_MS };
        expect(await getErrorCode(opened.verbs.acquire(key, plain))).toBe("held");
        expect(await getErrorCode(opened.verbs.acquire(key, { ...plain, format: "token" }))).toBe(
          "not_a_lock",
        );
        if (kind === "read")
          expect(await getErrorCode(opened.verbs.renew({ ...hold, kind: "lock" }))).toBe("lost");
        expect(await getServer(key).dumpBuffer(key)).toEqual(before);
        const other = createTestKey();
        await opened.verbs.acquire(other, plain);
        expect(await getErrorCode(acquire(other, kind))).toBe("held");
        const data = createTestKey();
        await getServer(data).hset(data, { mode: "read", colour: "red" });
        expect(await getErrorCode(acquire(data, kind))).toBe("not_a_lock");
        expect(await getServer(data).hgetall(data)).toEqual({ mode: "read", colour: "red" });
      }
    });

    it("a repeated acquire and a repeated release take effect once", async () => {
      for (const kind of ["read", "write"] as const) {
        const key = createTestKey();
        const ask = { requestId: randomUUID(), principal: "key-1" };
        const first = await acquire(key, kind, ask);
        const repeated = await acquire(key, kind, ask);
        expect([repeated.token, repeated.fence]).toEqual([first.token, first.fence]);
        expect(await getErrorCode(acquire(key, kind, { ...ask, owner: "other" }))).toBe(
          "idempotency_key_reused",
        );
        const hold = { ...first, principal: "key-1" };
        const { count } = await opened.verbs.reenter(hold, { requestId: randomUUID() });
        expect(count).toBe(2);
        const requestId = randomUUID();
        for (let n = 0; n < 2; n++)
          expect(await opened.verbs.release(hold, { requestId })).toMatchObject({
            outcome: "still_held",
            count: 1,
          });
        expect(await getErrorCode(opened.verbs.release({ ...hold, principal: "key-2" }))).toBe("not_owner");
        expect(await opened.verbs.release(hold)).toMatchObject({ outcome: "released" });
        expect(await getErrorCode(acquire(key, kind, ask))).toBe("lost");
      }
    });

    it("a reader that repeats a forgotten request replaces its ended entry", async () => {
      const key = createTestKey();
      const ask = { requestId: randomUUID(), principal: "key-1" };
      const ended = await acquire(key, "read", ask);
      await acquire(key, "read");
      const server = getServer(key);
      await server.del(`{${key}}:${ended.token}:rwlock_timeout:1`);
      await server.del(String(buildHolderCompanionKey(key, ended.token)));
      const again = await acquire(key, "read", ask);
      expect(again.token).toBe(ended.token);
      expect(await opened.verbs.verify({ ...again, principal: "key-1" })).toMatchObject({
        held: true,
        count: 1,
      });
    });

    it("a reservation keeps out readers and writers, and readers leave none", async () => {
      const key = createTestKey();
      await opened.verbs.reserve(key, { by: "mei", reservedMs: LEASE_MS, kind: "write" });
      expect(await getServer(key).hgetall(key)).toEqual({
        mode: "write",
        "lockkeeper:reserve:mei:write": "1",
      });
      for (const kind of ["read", "write"] as const)
        expect(await getErrorCode(acquire(key, kind))).toBe("held");
      const other = createTestKey();
      const writer = await acquire(other, "write", { minHoldMs: LEASE_MS });
      expect(await getErrorCode(opened.verbs.downgrade(writer))).toBe("invalid");
      await opened.verbs.release(writer);
      expect(Object.keys(await getServer(other).hgetall(other))).toContain(
        "lockkeeper:reserve:min-hold:write",
      );
      expect(await getErrorCode(acquire(other, "read"))).toBe("held");
      for (const more of [{ graceMs: 1 }, { minHoldMs: 1 }])
        expect(await getErrorCode(acquire(createTestKey(), "read", more))).toBe("invalid");
      expect(await getErrorCode(acquire(createTestKey(), "write", { yieldsToWriters: true }))).toBe(
        "invalid",
      );
      const reader = await acquire(createTestKey(), "read");
      expect(await getErrorCode(opened.verbs.release(reader, { reservedMs: LEASE_MS }))).toBe("invalid");
      const asRead = { by: "mei", reservedMs: LEASE_MS, kind: "read" } as const;
      expect(await getErrorCode(opened.verbs.reserve(createTestKey(), asRead))).toBe("invalid");
    });

    it("without one of its keys, a hold of a reader is lost or continues whole", async () => {
      const key = createTestKey();
      const [one, two, three] = [
        await acquire(key, "read"),
        await acquire(key, "read"),
        await acquire(key, "read"),
      ];
      const server = getServer(key);
      await server.del(`{${key}}:${one.token}:rwlock_timeout:1`);
      expect(await opened.verbs.verify(one)).toMatchObject({ held: false });
      expect(await getErrorCode(opened.verbs.renew(one))).toBe("lost");
      await server.del(String(buildHolderCompanionKey(key, two.token)));
      expect(await opened.verbs.verify(two)).toMatchObject({ held: true });
      expect(await opened.verbs.verify({ ...two, principal: "key-1" })).toMatchObject({ held: false });
      expect(await opened.verbs.release(two)).toMatchObject({ outcome: "released" });
      expect(await server.hgetall(key)).toEqual({ mode: "read", [three.token]: "1" });
      await server.del(key);
      expect(await getErrorCode(opened.verbs.renew(three))).toBe("lost");
      expect(await acquire(key, "write")).toMatchObject({ count: 1 });
    });

    it("fencing tokens increase although the clock was set back or the last token was lost", async () => {
      const key = createTestKey();
      const server = getServer(key);
      const writer = await acquire(key, "write");
      await opened.verbs.release(writer);
      const companion = String(buildCompanionKey(key));
      // Sets the last fencing token to a value that a clock one hour ahead would have produced.
      const ahead = String(BigInt(writer.fence) + 3_600_000_000n);
      const stored = (await server.get(companion)) ?? "";
      await server.set(companion, stored.replace(writer.fence, ahead), "PX", LEASE_MS);
      const reader = await acquire(key, "read");
      expect(reader.fence).toBe(ahead);
      await opened.verbs.release(reader);
      const next = await acquire(key, "write");
      expect(BigInt(next.fence)).toBeGreaterThan(BigInt(ahead));
      await opened.verbs.release(next);
      await server.del(companion);
      // As after a failover that lost the companion, a reader of a lock without a known writer gets a new token.
      const [one, two] = [await acquire(key, "read"), await acquire(key, "read")];
      expect([one.fence === two.fence, BigInt(one.fence) > BigInt(writer.fence)]).toEqual([true, true]);
    });

    it("an upgrade is refused at once, and a nested reader re-enters the hold of the writer", async () => {
      const [client] = opened.clients;
      const key = createTestKey();
      await client.withLock(key, { kind: "read" }, async (hold) => {
        const nested = client.withLock(key, { kind: "write", waitMs: LEASE_MS }, async () => "in");
        const { code, ms } = await measureMs(nested);
        expect([code, ms < PROMPT_MS]).toEqual(["held", true]);
        expect(await getErrorCode(client.acquire(key, { kind: "write", waitMs: LEASE_MS }))).toBe("held");
        hold.assertHeld();
      });
      await client.withLock(key, { kind: "write" }, async (hold) => {
        const inner = await client.withLock(
          key,
          { kind: "read", reentrant: true },
          async ({ count }) => count,
        );
        expect(inner).toBe(2);
        await hold.downgrade();
        expect(hold).toMatchObject({ kind: "read", state: "held" });
        await sleepMs(1);
        await hold.renew();
      });
      expect(await getServer(key).exists(key)).toBe(0);
    });
  });
}
