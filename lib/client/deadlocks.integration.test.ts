import { describe, expect } from "vitest";
import { serverTest } from "../../test/support/fixtures.ts";
import { createTestKey } from "../../test/support/test-locks.ts";
import { ROOT_KEY, waitUntil } from "../../test/support/test-server.ts";
import { DeadlockError, InvalidError } from "./errors.ts";
import { LockkeeperClient } from "./lockkeeper-client.ts";

const it = serverTest().extend(
  "client",
  ({ server }) => new LockkeeperClient({ url: server.url, apiKey: ROOT_KEY }),
);

const WAIT = { waitMs: 40_000 };

describe("deadlocks", () => {
  it("the youngest wait that chose it is refused, and the error names the cycle", async ({ client }) => {
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const first = await client.acquire(a, { owner: "first" });
    const second = await client.acquire(b, { owner: "second" });
    // Covers both ways to declare holds: as `Hold` objects and as `holdId`s.
    const waiting = client.acquire(b, { ...WAIT, owner: "first", holding: [first] });
    const refused = client.acquire(a, {
      ...WAIT,
      owner: "second",
      holding: [second.holdId],
      onDeadlock: "refuse",
    });
    const error: unknown = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeadlockError);
    expect(error).toMatchObject({ code: "deadlock", facts: { key: a } });
    const { cycle } = (error as DeadlockError).facts;
    expect(new Set(cycle.map(({ owner, key }) => `${owner} ${key}`))).toEqual(
      new Set([`first ${b}`, `second ${a}`]),
    );
    await second.release();
    const granted = await waiting;
    await Promise.all([granted.release(), first.release()]);
  });

  it("a wait that did not choose to be refused is reported, and ends when a lock is released", async ({
    client,
    server,
  }) => {
    const [a, b] = [createTestKey("lock:a"), createTestKey("lock:b")];
    const [one, two] = [await client.acquire(a), await client.acquire(b)];
    const stop = new AbortController();
    const waits = [
      client.acquire(b, { ...WAIT, holding: [one], onDeadlock: "report" }),
      client.acquire(a, { ...WAIT, holding: [two], signal: stop.signal }).catch(() => undefined),
    ];
    await waitUntil(
      async () => (await server.call(`/waits?key=${encodeURIComponent(a)}`)).body.deadlocks.length === 1,
    );
    stop.abort();
    await two.release();
    for (const hold of await Promise.all(waits)) await hold?.release();
    await one.release();
  });

  it("holds that are not a list are refused, and several locks declare none", async ({ client, key }) => {
    const holding = { holdId: "h1.x" };
    await expect(client.acquire(key, { holding: holding as never })).rejects.toBeInstanceOf(InvalidError);
    const unknown = client.acquire(key, { waitMs: 10, holding: ["h1.x"] });
    await expect(unknown).rejects.toMatchObject({ code: "invalid_hold_id" });
    for (const option of [{ holding: [] }, { onDeadlock: "refuse" }])
      await expect(client.acquireAll([key], option as object)).rejects.toBeInstanceOf(InvalidError);
  });
});
