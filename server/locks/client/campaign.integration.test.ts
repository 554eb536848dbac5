import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { observeHeldLock } from "../../../test/support/observed-lock.ts";
import { countScriptCalls, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { startTestProxy } from "../../../test/support/test-proxy.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { campaign } from "./campaign.ts";

const MEI = { holder: undefined, by: "mei", reason: "stuck" };

const it = locksTest().extend(
  "forceRelease",
  { scope: "file" },
  ({ locks, direct }) =>
    async (key: string) =>
      void (await locks.forceRelease(await observeHeldLock(direct, key), MEI)),
);

describe("campaign", () => {
  it("campaign elects one leader at a time, and another when the leader loses its lock or leaves", async ({
    client,
    direct,
    key,
  }) => {
    const ends = [new AbortController(), new AbortController()];
    const leading = new Set<number>();
    const terms: number[] = [];
    const lost: unknown[] = [];
    const runs = ends.map(({ signal }, instance) =>
      campaign(client, key, {
        signal,
        leaseMs: 300,
        onLost: (reason) => lost.push(reason),
        onElected: async (lead) => {
          leading.add(instance);
          terms.push(instance);
          expect(leading.size).toBe(1);
          await new Promise((resolve) => lead.addEventListener("abort", resolve, { once: true }));
          leading.delete(instance);
        },
      }),
    );
    await waitUntil(() => terms.length === 1);
    // Another library acquires the lock, so that the leader detects its loss before another candidate can lead.
    await direct.multi().del(key).hset(key, `${randomUUID()}:1`, 1).pexpire(key, 500).exec();
    await waitUntil(() => lost.length === 1);
    await waitUntil(() => terms.length === 2);
    ends[terms[1] ?? 0]?.abort();
    await waitUntil(() => terms.length === 3);
    expect(terms[2]).not.toBe(terms[1]);
    for (const end of ends) end.abort();
    await Promise.all(runs);
    expect(await direct.exists(key)).toBe(0);
  });

  it("a candidate is not elected if its grant arrives after the deadline", async ({ env, direct, key }) => {
    const proxy = await startTestProxy(env.redis.port);
    const client = await env.openClient({ port: proxy.port });
    proxy.getDelayMs = () => 400;
    const stop = new AbortController();
    const held: number[] = [];
    const lost: unknown[] = [];
    const run = campaign(client, key, {
      ...{ signal: stop.signal, leaseMs: 300, onLost: (reason) => lost.push(reason) },
      onElected: async (_, hold) => {
        held.push(hold.remainingMs());
        stop.abort();
      },
    });
    await waitUntil(async () => (await direct.exists(key)) === 1);
    await waitUntil(async () => (await direct.exists(key)) === 0);
    proxy.getDelayMs = () => 0;
    await run;
    expect(held).toEqual([expect.any(Number)]);
    expect(held[0]).toBeGreaterThan(0);
    expect(lost).toEqual([]);
    client.close();
    await proxy.stop();
  });

  it("onLost is called if only the release finds that the leader had lost its lock", async ({
    client,
    direct,
    key,
  }) => {
    const stop = new AbortController();
    const lost: unknown[] = [];
    await campaign(client, key, {
      ...{ signal: stop.signal, onLost: (reason) => lost.push(reason) },
      onElected: async () => {
        await direct.del(key);
        stop.abort();
      },
    });
    expect(lost).toMatchObject([{ code: "lost" }]);
  });

  it("a leader that throws the LostError of its hold, or the abort of its signal, becomes a candidate again", async ({
    client,
    forceRelease,
    key,
  }) => {
    const stop = new AbortController();
    const fences: string[] = [];
    const lost: unknown[] = [];
    const run = campaign(client, key, {
      signal: stop.signal,
      onLost: (reason) => lost.push(reason),
      onElected: async (lead, hold) => {
        fences.push(hold.fence);
        if (fences.length === 1) for (;;) await sleepMs(5).then(() => hold.assertHeld());
        else await sleep(60_000, undefined, { signal: lead });
      },
    });
    for (const term of [1, 2]) {
      await waitUntil(() => fences.length === term);
      await forceRelease(key);
      await waitUntil(() => lost.length === term);
    }
    await waitUntil(() => fences.length === 3);
    expect(lost).toMatchObject([{ code: "lost" }, { code: "lost" }]);
    stop.abort();
    await run;
  });

  it("a leader that ignores its signal is not elected again before its work has settled", async ({
    client,
    forceRelease,
    key,
  }) => {
    const stop = new AbortController();
    const log: string[] = [];
    const run = campaign(client, key, {
      signal: stop.signal,
      onElected: async (lead) => {
        log.push("begin");
        await waitUntil(() => lead.aborted);
        await sleepMs(600);
        log.push("end");
      },
    });
    await waitUntil(() => log.length === 1);
    await forceRelease(key);
    await waitUntil(() => log.length === 3);
    expect(log).toEqual(["begin", "end", "begin"]);
    stop.abort();
    await run;
  });

  it("any other error of the leader ends the campaign and releases the lock", async ({
    client,
    direct,
    key,
  }) => {
    const { signal } = new AbortController();
    const onElected = () => Promise.reject(new Error("a bug"));
    await expect(campaign(client, key, { signal, onElected })).rejects.toThrow("a bug");
    const other = await client.acquire(`${key}:other`);
    await direct.del(`${key}:other`);
    const useOther = () => other.renew();
    expect(await getErrorCode(campaign(client, key, { signal, onElected: useOther }))).toBe("lost");
    expect(await direct.exists(key)).toBe(0);
  });

  it("a leader that resigns at once does not keep Redis busy, and a closed client ends the campaign", async ({
    env,
    direct,
    key,
  }) => {
    const client = await env.openClient();
    const { signal } = new AbortController();
    let terms = 0;
    const run = getErrorCode(
      campaign(client, key, {
        signal,
        onElected: async () => {
          terms++;
        },
      }),
    );
    const before = await countScriptCalls(direct);
    await sleepMs(1000);
    // Each pause is at least 250 ms.
    expect(terms).toBeLessThanOrEqual(5);
    expect((await countScriptCalls(direct)) - before).toBeLessThan(30);
    client.close();
    expect(await run).toBe("unavailable");
  });
});
