import { describe, expect } from "vitest";
import { serverTest } from "../../../test/support/fixtures.ts";
import { startTestHttpProxy } from "../../../test/support/test-http-proxy.ts";
import { ROOT_KEY, waitUntil } from "../../../test/support/test-server.ts";
import { InvalidError, WaitTimeoutError } from "../errors.ts";
import { LockkeeperClient } from "../lockkeeper-client.ts";
import { Latch } from "./latch.ts";

const it = serverTest()
  .extend("proxy", async ({ server }, { onCleanup }) => {
    const proxy = await startTestHttpProxy(server.url);
    onCleanup(() => proxy.stop());
    return proxy;
  })
  .extend("client", ({ proxy }) => new LockkeeperClient({ url: proxy.url, apiKey: ROOT_KEY }))
  .extend("latch", ({ client, key }) => new Latch(client, key));

describe("a latch", () => {
  it("is closed once, counts down to 0, and is then open", async ({ latch }) => {
    expect(await latch.getCount()).toBe(0);
    await latch.await({ waitMs: 0 });
    expect(await latch.trySetCount(2)).toBe(true);
    expect(await latch.trySetCount(5)).toBe(false);
    expect(await latch.countDown()).toBe(1);
    const refused: unknown = await latch.await({ waitMs: 20 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WaitTimeoutError);
    expect(refused).toMatchObject({
      message: expect.stringContaining("count of 1"),
      facts: { key: latch.key, holders: [] },
    });
    expect(await latch.countDown()).toBe(0);
    await latch.await();
  });

  it("opens for all clients that wait", async ({ latch, client, proxy }) => {
    await latch.trySetCount(1);
    const waits = [latch.await(), new Latch(client, latch.key).await({ waitMs: 100_000 })];
    await waitUntil(() => proxy.requests.filter((request) => request.startsWith("GET")).length === 2);
    await latch.countDown();
    await Promise.all(waits);
  });

  it("a change whose response is lost is made once", async ({ latch, proxy }) => {
    for (const change of [() => latch.trySetCount(3), () => latch.countDown()]) {
      const before = proxy.requests.length;
      proxy.mode = "drop_replies";
      const changing = change();
      await waitUntil(() => proxy.requests.length > before + 1);
      proxy.mode = "pass";
      expect([true, 2]).toContain(await changing);
    }
    expect(await latch.getCount()).toBe(2);
  });

  it("a wait ends with its signal", async ({ latch, proxy }) => {
    await latch.trySetCount(1);
    const leave = new AbortController();
    const waiting = latch.await({ signal: leave.signal });
    await waitUntil(() => proxy.requests.length === 2);
    leave.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(latch.await({ signal: leave.signal })).rejects.toMatchObject({ code: "aborted" });
  });

  it("a wait continues after an outage", async ({ latch, proxy }) => {
    await latch.trySetCount(1);
    const waiting = latch.await();
    await waitUntil(() => proxy.requests.length === 2);
    proxy.mode = "refuse";
    proxy.dropConnections();
    await waitUntil(() => proxy.requests.length > 5);
    proxy.mode = "pass";
    await latch.countDown();
    await waiting;
  });

  it("a wait that is sent in parts does not miss an opening between two of them", async ({ server, key }) => {
    let parts = 0;
    const send = async (url: unknown, init?: RequestInit) => {
      const short = String(url).replace("waitMs=55000", "waitMs=20");
      if (short !== url) parts++;
      if (short !== url && parts === 2) {
        await other.countDown();
        await other.trySetCount(7);
      }
      return await fetch(short, init);
    };
    const other = new Latch(new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY }), key);
    const client = new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY, fetch: send as typeof fetch });
    await other.trySetCount(1);
    await new Latch(client, key).await();
    expect(parts).toBe(2);
    expect(await other.getCount()).toBe(7);
  });

  it("uses the target of its client, and a key of another kind is refused", async ({
    server,
    client,
    key,
  }) => {
    const elsewhere = new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY, target: "elsewhere" });
    for (const call of [
      () => new Latch(elsewhere, key).getCount(),
      () => new Latch(elsewhere, key).countDown(),
      () => new Latch(elsewhere, key).await({ waitMs: 10 }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "not_found" });
    await client.setLimit(key, 2);
    const hold = await client.acquire(key, { kind: "semaphore" });
    await expect(new Latch(client, key).countDown()).rejects.toMatchObject({ code: "kind_conflict" });
    await hold.release();
  });

  it("wrong arguments are refused", async ({ client, latch }) => {
    expect(() => new Latch({} as LockkeeperClient, "a")).toThrow(InvalidError);
    expect(() => new Latch(client, 1 as never)).toThrow(InvalidError);
    const wrong = [
      () => latch.trySetCount("1" as never),
      () => latch.trySetCount(0),
      () => latch.await({ waitMs: -1 }),
      () => latch.await({ waitMs: Number.NaN }),
      () => latch.await({ timeoutMs: 1 } as never),
    ];
    for (const call of wrong) await expect(call()).rejects.toBeInstanceOf(InvalidError);
  });
});
