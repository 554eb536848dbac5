import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../test/support/test-http-proxy.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { LostError } from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest()
  .extend("errors", (): Error[] => [])
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend(
    "client",
    ({ proxy, errors }) =>
      new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY, onError: (error) => errors.push(error) }),
  );

describe("LockkeeperClient.withLock", () => {
  it("the work runs while the lock is held, which is released afterwards", async ({
    client,
    direct,
    key,
  }) => {
    const result = await client.withLock(key, async (hold) => {
      expect(await direct.exists(key)).toBe(1);
      return hold.fence;
    });
    expect(result).toMatch(/^\d+$/);
    expect(await direct.exists(key)).toBe(0);
  });

  it("an error of the work is thrown unchanged after the release", async ({ client, direct, key }) => {
    const failure = new Error("the work failed");
    await expect(client.withLock(key, { leaseMs: 5000 }, () => Promise.reject(failure))).rejects.toBe(
      failure,
    );
    expect(failure.cause).toBeUndefined();
    expect(await direct.exists(key)).toBe(0);
  });

  it("work that finishes after the loss fails with LostError", async ({ client, direct, key }) => {
    const late = client.withLock(key, { leaseMs: 600 }, async (hold) => {
      await direct.del(key);
      await waitUntil(() => hold.signal.aborted);
      return "late";
    });
    await expect(late).rejects.toBeInstanceOf(LostError);
  });

  it("a loss that only the release finds fails the call too", async ({ client, direct, key }) => {
    const late = client.withLock(key, async () => {
      await direct.del(key);
    });
    await expect(late).rejects.toMatchObject({ code: "lost", message: expect.stringContaining(key) });
  });

  it("an error of the work carries the loss as its cause", async ({ client, direct, key }) => {
    const failure = new Error("stopped");
    const late = client.withLock(key, { leaseMs: 600 }, async (hold) => {
      await direct.del(key);
      await waitUntil(() => hold.signal.aborted);
      throw failure;
    });
    await expect(late).rejects.toBe(failure);
    expect(failure.cause).toBeInstanceOf(LostError);
  });

  it("a failed release does not fail the work and is reported", { timeout: 30_000 }, async ({
    client,
    proxy,
    errors,
    key,
  }) => {
    const result = client.withLock(key, { renewal: "manual" }, () => {
      proxy.mode = "refuse";
      return "done";
    });
    expect(await result).toBe("done");
    expect(errors).toMatchObject([{ code: "unknown_outcome" }]);
  });

  it("the work does not run if the grant arrives after its deadline", async ({ server, direct, key }) => {
    const client = new LockkeeperClient({
      url: server.url,
      apiKey: ROOT_KEY,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (String(input).endsWith("/acquire")) await waitUntil(async () => (await direct.exists(key)) === 0);
        return response;
      },
    });
    let hasRun = false;
    const late = client.withLock(key, { leaseMs: 300 }, () => {
      hasRun = true;
    });
    await expect(late).rejects.toBeInstanceOf(LostError);
    expect(hasRun).toBe(false);
  });
});
