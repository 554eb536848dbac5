import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import { mastersTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import { LockClient } from "../client/lock-client.ts";

const it = mastersTest(5)
  // Independent clients, as in separate processes.
  .extend("openClient", async ({ masters }, { onCleanup }) => {
    const clients: LockClient[] = [];
    onCleanup(() => {
      for (const client of clients) client.close();
    });
    return async (count: number) => {
      const opened = await Promise.all(
        Array.from({ length: count }, () => LockClient.open({ quorum: masters.urls })),
      );
      clients.push(...opened);
      return opened;
    };
  })
  .extend(
    "isFree",
    { scope: "file" },
    ({ masters }) =>
      async (key: string) =>
        (await masters.readHolders(key)).every((vote) => vote === null),
  );

afterEach(() => {
  vi.restoreAllMocks();
});

// Delays each request at random, as a network does, so that votes are split.
beforeEach(() => {
  const { acquire } = LOCK_WRITERS.token;
  vi.spyOn(LOCK_WRITERS.token, "acquire").mockImplementation(async (...ask) => {
    await sleepMs(6 * Math.random());
    return await acquire.apply(LOCK_WRITERS.token, ask);
  });
});

describe("quorum contention", () => {
  it("exactly one of 12 clients acquires a free lock within 3 s, and the votes of the others are withdrawn", async ({
    masters,
    isFree,
    openClient,
  }) => {
    const all = await openClient(12);
    for (let round = 0; round < 5; round++) {
      const key = createTestKey();
      const startedAt = performance.now();
      const holds = await Promise.allSettled(all.map((client) => client.acquire(key, { renew: false })));
      expect(performance.now() - startedAt).toBeLessThan(3000);
      const got = holds.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(got).toHaveLength(1);
      await waitUntil(async () =>
        (await masters.readHolders(key)).every((vote) => vote === null || vote === got[0]?.token),
      );
      await got[0]?.release();
      await waitUntil(() => isFree(key));
    }
  });

  it("all of 6 waiting clients acquire a held lock one after the other and leave no votes behind", async ({
    isFree,
    key,
    openClient,
  }) => {
    const all = await openClient(6);
    const first = await all[0]?.acquire(key);
    const fences: bigint[] = [];
    let inside = 0;
    const waits = all.map((client) =>
      client.withLock(key, { waitMs: 15_000 }, async ({ fence }) => {
        expect(++inside).toBe(1);
        fences.push(BigInt(fence));
        await sleepMs(2);
        inside--;
      }),
    );
    await first?.release();
    await Promise.all(waits);
    expect(fences).toEqual(fences.toSorted((one, other) => (one < other ? -1 : 1)));
    expect(new Set(fences).size).toBe(6);
    await waitUntil(() => isFree(key));
  });

  it("a counter written under the lock stays exact while one master after the other freezes", async ({
    masters,
    key,
    openClient,
  }) => {
    const all = await openClient(4);
    let counter = 0;
    let left = 200;
    let isOver = false;
    const outages = (async () => {
      for (let n = 0; !isOver; n = (n + 1) % 4) {
        const away = masters.getMasters(n, n + 1).map(({ master }) => master);
        for (const master of away) master.freeze();
        await sleepMs(150);
        for (const master of away) master.thaw();
        await sleepMs(100);
      }
    })();
    const run = async (client: LockClient) => {
      while (left-- > 0) {
        await client.withLock(key, { waitMs: 20_000 }, async (hold) => {
          const seen = counter;
          await new Promise((resolve) => setImmediate(resolve));
          hold.assertHeld();
          counter = seen + 1;
        });
      }
    };
    await Promise.all(all.map(run));
    isOver = true;
    await outages;
    expect(counter).toBe(200);
  }, 60_000);
});

describe("waiting beside a bare majority", () => {
  it("a waiter is not woken by withdrawn minority votes and does not retry endlessly", async ({
    masters,
    key,
    openClient,
  }) => {
    const all = await openClient(4);
    await masters.occupy(key, [0, 1, 2]);
    const before = await masters.countScripts(4);
    expect(
      await Promise.all(all.map((client) => getErrorCode(client.acquire(key, { waitMs: 1500 })))),
    ).toEqual(["timeout", "timeout", "timeout", "timeout"]);
    // Each client makes about two attempts and withdraws its votes. Timers may cause a few more attempts.
    expect((await masters.countScripts(4)) - before).toBeLessThan(4 * 12);
    await waitUntil(async () => (await masters.readHolders(key)).slice(3).every((vote) => vote === null));
  });
});
