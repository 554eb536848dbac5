import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { catchLockError, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { LockClient } from "./lock-client.ts";
import { withLock } from "./with-lock.ts";

const it = locksTest();

const catchReason = (promise: Promise<unknown>) =>
  promise.then(
    () => "no error",
    (reason: unknown) => reason,
  );

describe("withLock", () => {
  it("withLock releases the lock even when the work throws, and takes the work as its second argument, too", async ({
    client,
    direct,
    key,
  }) => {
    expect(await client.withLock(key, {}, async () => 7)).toBe(7);
    expect(await client.withLock(key, async ({ count }) => count)).toBe(1);
    expect(await withLock(client, key, { leaseMs: 5000 }, async ({ leaseMs }) => leaseMs)).toBe(5000);
    await expect(client.withLock(key, () => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
    const throwNow = () => {
      throw new Error("at once");
    };
    await expect(client.withLock(key, throwNow)).rejects.toThrow("at once");
    expect(await direct.exists(key)).toBe(0);
  });

  it("calls that are not nested exclude each other", async ({ client, key }) => {
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        client.withLock(key, { waitMs: 10_000 }, async () => {
          expect(++inside).toBe(1);
          await sleepMs(1);
          inside--;
        }),
      ),
    );
  });

  it("withLock rejects with the loss when the work finishes after it", async ({ client, direct, key }) => {
    const work = client.withLock(key, { leaseMs: 300 }, async (hold) => {
      await direct.del(key);
      await waitUntil(() => hold.signal.aborted);
      return "written as if held";
    });
    expect(await catchLockError(work)).toBeInstanceOf(LostError);
  });

  it("withLock rejects when only the release finds that the hold had ended", async ({
    client,
    direct,
    key,
  }) => {
    const work = client.withLock(key, async (hold) => {
      await direct.del(key);
      expect(hold.state).toBe("held");
    });
    expect((await catchLockError(work)).code).toBe("lost");
  });

  it("the work does not run if the grant arrives after its deadline", async ({ env, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const client = await env.openClient({ port: proxy.port });
    // Loads the scripts.
    await (await client.acquireAll([key])).release();
    await client.withLock(key, async () => undefined);
    proxy.getDelayMs = () => 400;
    let runs = 0;
    const work = async () => {
      runs++;
    };
    const options = { leaseMs: 300 };
    expect((await catchLockError(client.withLock(key, options, work))).code).toBe("lost");
    // An acquire of several locks detects this itself.
    expect((await catchLockError(client.withLocks([key], options, work))).code).toBe("unavailable");
    expect(runs).toBe(0);
    client.close();
    await proxy.stop();
  });

  it("withLock rejects when the lease without renewal expired during the work", async ({ client, key }) => {
    const work = client.withLock(key, { leaseMs: 50, renew: false }, () => sleepMs(100));
    expect((await catchLockError(work)).message).toMatch(/lease ended/);
  });

  it("the error of the work wins and carries the loss as its cause", async ({ client, direct, key }) => {
    const fail = (error: unknown) =>
      catchReason(
        client.withLock(key, async () => {
          await direct.del(key);
          throw error;
        }),
      );
    const plain = new Error("mine");
    expect(await fail(plain)).toBe(plain);
    expect(plain.cause).toBeInstanceOf(LostError);
    const caused = new Error("mine", { cause: "its own" });
    expect(await fail(caused)).toBe(caused);
    expect(caused.cause).toBe("its own");
    const frozen = Object.freeze(new Error("frozen"));
    expect(await fail(frozen)).toBe(frozen);
    expect(await fail("no Error")).toBe("no Error");
    expect(await fail(undefined)).toBe(undefined);
    const hostile = new Error("hostile");
    Object.defineProperty(hostile, "cause", {
      get: () => {
        throw new Error("getter");
      },
    });
    expect(await fail(hostile)).toBe(hostile);
  });

  it("a LostError of its own hold is thrown as it is", async ({ client, direct, key }) => {
    let reason: unknown;
    const work = client.withLock(key, async (hold) => {
      await direct.del(key);
      await catchReason(hold.renew());
      reason = hold.signal.reason;
      hold.assertHeld();
    });
    const error = await catchReason(work);
    expect(error).toBe(reason);
    expect(error).toBeInstanceOf(LostError);
    expect((error as LostError).cause).toBeUndefined();
  });

  it("a release that fails is logged, and the result of the work stands", async ({ env, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const far = await LockClient.open(`redis://127.0.0.1:${proxy.port}`);
    const result = await far.withLock(key, async () => {
      proxy.mode = "drop_replies";
      return "done";
    });
    expect(result).toBe("done");
    far.close();
    await proxy.stop();
  });

  it("a hold that the work releases itself is no loss", async ({ client, direct, key }) => {
    await client.withLock(key, async (hold) => {
      expect(await hold.release()).toMatchObject({ outcome: "released" });
      await client.withLock(key, { reentrant: true }, async ({ count, fence }) => {
        expect(count).toBe(1);
        expect(fence).not.toBe(hold.fence);
      });
    });
    expect(await direct.exists(key)).toBe(0);
  });
});
