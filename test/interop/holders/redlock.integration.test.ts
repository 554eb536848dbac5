import { describe, expect } from "vitest";
import { createTestKey } from "../../support/test-locks.ts";
import { waitUntil } from "../../support/test-server.ts";
import { type Connection, loadIoredisLock, Redlock4, Redlock5 } from "./clients.ts";
import { getOutcomeName, measureMs, operatorTest } from "./operator.ts";

const it = operatorTest();

const LEASE_MS = 30_000;
const ONCE = { retryCount: 0 };
const PATIENT = { retryCount: 400, retryDelay: 50 };
function redlock5(connection: Connection, settings: ConstructorParameters<typeof Redlock5>[1]) {
  const locks = new Redlock5([connection], settings);
  // redlock emits an error event for each retry. Without a listener, the event would end the process.
  locks.on("error", () => undefined);
  return locks;
}

interface Taken {
  readonly value: string;
  readonly release: () => Promise<unknown>;
}

const LIBRARIES = [
  {
    ...{ name: "redlock 4", refusal: "LockError" },
    async take(connection: Connection, keys: string[], settings = ONCE): Promise<Taken> {
      const lock = await new Redlock4([connection], settings).lock(keys, LEASE_MS);
      return { value: lock.value, release: () => lock.unlock() };
    },
  },
  {
    ...{ name: "redlock 5", refusal: "ExecutionError" },
    async take(connection: Connection, keys: string[], settings = ONCE): Promise<Taken> {
      const lock = await redlock5(connection, settings).acquire(keys, LEASE_MS);
      return { value: lock.value, release: () => lock.release() };
    },
  },
];

describe.each(LIBRARIES)("$name lock", ({ take, refusal }) => {
  it("a force-released redlock lock goes to the waiter at once, and its owner is refused", async ({
    connection,
    operator,
    key,
  }) => {
    const { value, release } = await take(connection, [key]);
    const lock = await operator.findListed(key);
    expect(lock).toMatchObject({
      ...{ state: "held", type: "string", format: "redlock", kind: "lock" },
      holders: [{ owner: value, count: 1, fence: null }],
    });
    expect(lock.remainingMs).toBeGreaterThan(LEASE_MS - 5000);
    expect(lock.remainingMs).toBeLessThanOrEqual(LEASE_MS);

    const next = take(connection, [key], PATIENT);
    const freed = await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
    expect([freed.status, freed.body.outcome, freed.body.owner]).toEqual([200, "released", value]);
    expect(await measureMs(next)).toBeLessThan(2000);
    expect(await getOutcomeName(release())).toBe(refusal);
    expect((await operator.readLock(key)).holders).toMatchObject([{ owner: (await next).value }]);
    const again = await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
    expect([again.status, again.body.code]).toEqual([409, "changed"]);
    expect(await getOutcomeName((await next).release())).toBe("done");
  });

  it("a redlock lock has no holdId and is refused to the API, also with its value as owner", async ({
    connection,
    operator,
    key,
  }) => {
    const { value, release } = await take(connection, [key]);
    const { holders } = await operator.findListed(key);
    expect(holders).toMatchObject([{ owner: value, holdId: null, count: 1 }]);
    for (const format of ["token", "redisson"] as const) {
      const { status, body } = await operator.acquire(key, { owner: value, format });
      expect([status, body.code]).toEqual(format === "token" ? [409, "held"] : [409, "not_a_lock"]);
    }
    expect((await operator.readLock(key)).holders).toMatchObject([{ owner: value, count: 1 }]);
    expect(await getOutcomeName(release())).toBe("done");
  });

  it("a redlock lock on several keys is listed as one, and release() clears the rest after one is force-released", async ({
    connection,
    operator,
  }) => {
    const [first, ...others] = [createTestKey(), createTestKey(), createTestKey()] as const;
    const { release } = await take(connection, [first, ...others]);
    const lock = await operator.findListed(first, ({ sharedWith }) => sharedWith.length === 2);
    expect(lock.sharedWith.map(({ key }) => key).sort()).toEqual([...others].sort());
    await operator.forceRelease(first, { expectedVersion: lock.version ?? "" });
    const stateOf = async (key: string) => (await operator.readLock(key)).state;
    expect(await Promise.all([first, ...others].map(stateOf))).toEqual(["free", "held", "held"]);
    expect(await getOutcomeName(release())).toBe(refusal);
    expect(await Promise.all(others.map(stateOf))).toEqual(["free", "free"]);
  });
});

describe("using() of redlock 5", () => {
  it("using() aborts its signal at the end of the known lease after a force-release", async ({
    connection,
    operator,
    key,
  }) => {
    const locks = redlock5(connection, { ...ONCE, automaticExtensionThreshold: 800 });
    let aborted: unknown;
    const ended = getOutcomeName(
      locks.using([key], 1000, async (signal) => {
        const lock = await operator.findListed(key);
        await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
        await waitUntil(() => signal.aborted);
        aborted = signal.aborted;
      }),
    );
    await ended;
    expect(aborted).toBe(true);
  });

  it("a lock that using() renews shows its new TTL and stays one hold", async ({
    connection,
    operator,
    key,
  }) => {
    const locks = redlock5(connection, { ...ONCE, automaticExtensionThreshold: 1700 });
    await locks.using([key], 2000, async () => {
      const { version } = await operator.findListed(key);
      const { remainingMs } = await operator.readLock(key);
      await waitUntil(async () => ((await operator.readLock(key)).remainingMs ?? 0) > (remainingMs ?? 0));
      expect((await operator.readLock(key)).version).toBe(version);
    });
    expect((await operator.readLock(key)).state).toBe("free");
  });
});

describe("ioredis-lock", () => {
  it("a force-released ioredis-lock lock goes to the waiter at once, and its owner is refused", async ({
    connection,
    operator,
    key,
  }) => {
    const { createLock } = await loadIoredisLock();
    const owner = createLock(connection, { timeout: LEASE_MS, retries: 0 });
    await owner.acquire(key);
    const lock = await operator.findListed(key);
    expect([lock.format, ...lock.candidates]).toContain("ioredis-lock");
    expect(lock).toMatchObject({ type: "string", kind: "lock", confidence: "likely" });
    expect(lock.remainingMs).toBeGreaterThan(LEASE_MS - 5000);

    const next = createLock(connection, { timeout: LEASE_MS, retries: 400, delay: 50 }).acquire(key);
    const freed = await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
    expect([freed.status, freed.body.outcome]).toEqual([200, "released"]);
    expect(await measureMs(next)).toBeLessThan(2000);
    expect(await getOutcomeName(owner.release())).toBe("LockReleaseError");
  });
});
