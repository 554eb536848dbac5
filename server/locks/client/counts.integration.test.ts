import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LockClient } from "./lock-client.ts";

const it = locksTest();

describe("counts of a hold", () => {
  it("reenter raises the count of the same hold, and each count has a release of its own", async ({
    client,
    direct,
    key,
  }) => {
    const outer = await client.acquire(key);
    const inner = await outer.reenter({ leaseMs: 60_000 });
    const { token, fence, holdId } = outer;
    expect(inner).toMatchObject({ token, fence, holdId, count: 2, leaseMs: 60_000 });
    expect(outer.leaseMs).toBe(60_000);
    expect(await direct.hget(key, token)).toBe("2");
    await Promise.all([inner.release(), inner.release(), inner.release()]);
    expect(await inner.release()).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await direct.hget(key, token)).toBe("1");
    expect(inner.state).toBe("released");
    outer.assertHeld();
    expect(await outer.release()).toMatchObject({ outcome: "released", count: 0 });
    expect(await direct.exists(key)).toBe(0);
    expect(await getErrorCode(outer.reenter())).toBe("lost");
  });

  it("the outer count can be released before the inner one", async ({ client, direct, key }) => {
    const outer = await client.acquire(key, { leaseMs: 1000 });
    const inner = await outer.reenter();
    await outer.release();
    await sleepMs(1500);
    inner.assertHeld();
    expect(await inner.release()).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
  });

  it("acquire ignores the holds of its own client", async ({ client, key }) => {
    const hold = await client.acquire(key, { owner: "me" });
    expect(await getErrorCode(client.acquire(key, { owner: "me" }))).toBe("held");
    await client.withLock(createTestKey(), async () => {
      expect(await getErrorCode(client.acquire(key))).toBe("held");
    });
    await hold.release();
  });

  it("all counts are lost together, and reenter reports the loss of the hold", async ({
    client,
    direct,
    key,
  }) => {
    const outer = await client.acquire(key);
    const inner = await outer.reenter();
    await direct.del(key);
    const error: unknown = await outer.reenter().catch((reason: unknown) => reason);
    expect(error).toBe(inner.signal.reason);
    expect([outer.state, inner.state]).toEqual(["lost", "lost"]);
    expect((await inner.release()).outcome).toBe("not_held");
  });

  it("a release repeated after a lost reply gives back one count", async ({ env, direct, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const outer = await far.acquire(key, { leaseMs: 60_000, renew: false });
    const inner = await outer.reenter();
    proxy.mode = "drop_replies";
    await expect(inner.release()).rejects.toMatchObject({ code: "unknown_outcome" });
    proxy.mode = "pass";
    expect(await inner.release()).toMatchObject({ outcome: "still_held", count: 1 });
    expect(await direct.hget(key, outer.token)).toBe("1");
    far.close();
    await proxy.stop();
  });

  it("a re-entry whose reply was lost leaves no count behind", async ({ env, direct, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const hold = await far.acquire(key, { leaseMs: 60_000 });
    // Caches the script in Redis, so that the next call is executed although its reply is lost.
    await (await hold.reenter()).release();
    proxy.mode = "drop_replies";
    expect(await getErrorCode(hold.reenter())).toBe("unknown_outcome");
    expect(await direct.hget(key, hold.token)).toBe("2");
    proxy.mode = "pass";
    await waitUntil(async () => (await direct.hget(key, hold.token)) === "1");
    expect(await hold.release()).toMatchObject({ outcome: "released" });
    expect(await direct.exists(key)).toBe(0);
    far.close();
    await proxy.stop();
  });

  it("a refused option of release does not end the hold", async ({ client, key }) => {
    const hold = await client.acquire(key);
    expect(await getErrorCode(hold.release({ reservedMs: -1 }))).toBe("invalid");
    hold.assertHeld();
    expect(await hold.release({ reservedMs: 50 })).toMatchObject({ outcome: "released" });
    expect(await getErrorCode(client.acquire(key))).toBe("held");
  });
});
