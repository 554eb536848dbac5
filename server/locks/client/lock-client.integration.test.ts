import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { catchLockError, createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { campaign } from "./campaign.ts";
import { LockClient } from "./lock-client.ts";

const it = locksTest();
const work = async () => undefined;

describe("counterparts of Java's Lock", () => {
  it("tryLock, tryLock(time), lock, lockInterruptibly and unlock have equivalents", async ({
    client,
    key,
  }) => {
    const held = await client.acquire(key);
    expect(await getErrorCode(client.acquire(key))).toBe("held");
    expect(await getErrorCode(client.acquire(key, { waitMs: 100 }))).toBe("timeout");
    const interrupt = new AbortController();
    const interrupted = getErrorCode(
      client.acquire(key, { waitMs: Number.POSITIVE_INFINITY, signal: interrupt.signal }),
    );
    setTimeout(() => interrupt.abort(), 50);
    expect(await interrupted).toBe("aborted");
    const forever = client.acquire(key, { owner: "b", waitMs: Number.POSITIVE_INFINITY });
    setTimeout(() => void held.release(), 50);
    expect((await forever).owner).toBe("b");
    await (await forever).release();
  });

  it("the retry option tries a fixed number of times at intervals", async ({ client, key }) => {
    const held = await client.acquire(key);
    const startedAt = performance.now();
    const retry = { tries: 3, pauseMs: 50, jitter: 0.1 };
    expect(await getErrorCode(client.acquire(key, { retry }))).toBe("held");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(85);
    setTimeout(() => void held.release(), 60);
    expect((await client.acquire(key, { owner: "b", retry })).owner).toBe("b");
  });

  it.for([{ waitMs: 5000 }, { retry: { tries: 9, pauseMs: 1000 } }])(
    "the error of a cancelled wait carries the reason of the signal (%o)",
    async (options, { client, key }) => {
      const held = await client.acquire(key);
      const stop = new AbortController();
      const waiting = catchLockError(client.acquire(key, { ...options, signal: stop.signal }));
      setTimeout(() => stop.abort(new Error("shutting down")), 30);
      expect(await waiting).toMatchObject({ code: "aborted", cause: { message: "shutting down" } });
      const late = catchLockError(client.acquire(createTestKey(), { signal: stop.signal }));
      expect(await late).toMatchObject({ code: "aborted", cause: { message: "shutting down" } });
      await held.release();
    },
  );
});

describe("options", () => {
  it("an unknown option is refused at once by every method, with the one that is similar", async ({
    client,
    env,
    key,
  }) => {
    const hold = await client.acquire(key);
    const { signal } = new AbortController();
    const misspelled: object = { lease: 5000 };
    const calls: Record<string, () => Promise<unknown>> = {
      "lease is not an option of acquire; did you mean leaseMs?": () => client.acquire(key, misspelled),
      "reentrant is not an option of acquire": () => client.acquire(key, { ["reentrant" as "owner"]: "" }),
      "lease is not an option of withLock; did you mean leaseMs?": () =>
        client.withLock(key, misspelled, work),
      "waitMs is not an option of campaign": () =>
        campaign(client, key, { signal, onElected: work, ["waitMs" as "leaseMs"]: 5 }),
      "campaign needs the option signal": () =>
        campaign(client, key, { onElected: work } as unknown as Parameters<typeof campaign>[2]),
      "lease is not an option of reenter; did you mean leaseMs?": () => hold.reenter(misspelled),
      "reserveMs is not an option of release; did you mean reservedMs?": () =>
        hold.release({ ["reserveMs" as "reservedMs"]: 5 }),
      "pause is not an option of retry; did you mean pauseMs?": () =>
        client.acquire(key, { retry: { tries: 1, pauseMs: 1, ["pause" as "jitter"]: 1 } }),
      "principal is not an option of reserve": () =>
        client.reserve(key, { by: "mei", reservedMs: 100, ["principal" as "reason"]: "me" }),
      "targets is not an option of open; did you mean target?": () =>
        LockClient.open(env.redis.url, { ["targets" as "target"]: "x" }),
      'unit is an option of the format "timestamp" only': () => client.acquire(key, { unit: "s" }),
    };
    for (const [message, call] of Object.entries(calls)) {
      const error = await catchLockError(call());
      expect(error.code).toBe("invalid");
      expect(error.message).toContain(message);
    }
    await hold.release();
  });

  it("a value of another type is refused before anything is sent", async ({ client, direct, key }) => {
    const values: Record<string, unknown> = {
      leaseMs: "5000",
      waitMs: "5",
      retry: 3,
      signal: new AbortController(),
      owner: 7,
      format: "nope",
      unit: "min",
      graceMs: null,
      record: "r",
      renew: "no",
      onJeopardy: true,
    };
    for (const [name, value] of Object.entries(values)) {
      const options = { [name]: value };
      for (const call of [client.acquire(key, options), client.withLock(key, options, work)]) {
        expect(await catchLockError(call)).toMatchObject({ code: "invalid", facts: { field: name } });
      }
    }
    expect(await getErrorCode(client.withLock(key, "x" as unknown as object, work))).toBe("invalid");
    expect(await getErrorCode(client.acquire(7 as unknown as string))).toBe("invalid");
    expect(await direct.exists(key)).toBe(0);
    const plain = await client.acquire(key, { leaseMs: undefined, owner: undefined, waitMs: undefined });
    expect(plain.leaseMs).toBe(30_000);
    await plain.release();
  });
});

describe("close", () => {
  it("after close every hold is lost, waits end and new calls fail", async ({ env, direct, key }) => {
    const client = await env.openClient();
    const other = await env.openClient();
    const waiting = createTestKey();
    const held = await other.acquire(waiting);
    const hold = await client.acquire(key, { leaseMs: 400 });
    const inner = await hold.reenter();
    let hasWorkStarted = false;
    const workBriefly = () => {
      hasWorkStarted = true;
      return sleepMs(100);
    };
    const waits = [
      getErrorCode(client.acquire(waiting, { waitMs: Number.POSITIVE_INFINITY })),
      getErrorCode(client.acquire(waiting, { retry: { tries: 99, pauseMs: 1000 } })),
      getErrorCode(client.withLock(createTestKey(), workBriefly)),
    ];
    await waitUntil(() => hasWorkStarted);
    client.close();
    client.close();
    expect(client.isClosed).toBe(true);
    expect(hold.signal.aborted).toBe(true);
    expect(hold.signal.reason).toMatchObject({ message: expect.stringMatching(/client was closed/) });
    expect([hold.state, inner.state]).toEqual(["lost", "lost"]);
    expect(await Promise.all(waits)).toEqual(["unavailable", "unavailable", "lost"]);
    for (const call of [client.acquire(key), client.withLock(key, work)]) {
      expect(await catchLockError(call)).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(/client was closed/),
      });
    }
    // Nothing renews the lease from here on.
    await sleepMs(600);
    expect(await direct.exists(key)).toBe(0);
    await held.release();
  });
});
