import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { catchLockError, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import type { WithLockOptions } from "./hold-options.ts";

const it = locksTest();
const REENTRANT = { reentrant: true } as const;

/** Counts the callbacks that enter, and the maximum number that are inside at the same time. */
function countInside() {
  const seen = { most: 0, entered: 0 };
  let inside = 0;
  const enter = async (ms = 20) => {
    seen.entered++;
    seen.most = Math.max(seen.most, ++inside);
    await sleepMs(ms);
    inside--;
  };
  return { seen, enter };
}

function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("nested withLock", () => {
  it("reentrant enters the hold of the enclosing withLock", async ({ client, direct, key }) => {
    await client.withLock(key, async (outer) => {
      await client.withLock(key, { ...REENTRANT, leaseMs: 60_000 }, async (inner) => {
        expect(inner).toMatchObject({ count: 2, fence: outer.fence, token: outer.token, leaseMs: 60_000 });
        expect(await direct.hget(key, inner.token)).toBe("2");
        await client.withLock(key, REENTRANT, async ({ count }) => expect(count).toBe(3));
      });
      expect(await direct.hget(key, outer.token)).toBe("1");
    });
    expect(await direct.exists(key)).toBe(0);
  });

  it("without reentrant it is refused or waits, and the error says that the caller holds the lock", async ({
    client,
    key,
  }) => {
    await client.withLock(key, async () => {
      const nested = (options: WithLockOptions) =>
        catchLockError(client.withLock(key, options, async () => undefined));
      for (const retry of [undefined, { tries: 2, pauseMs: 1 }]) {
        expect(await nested({ retry })).toMatchObject({ code: "held", facts: { heldByCaller: true } });
      }
      expect(await nested({ waitMs: 30 })).toMatchObject({ code: "timeout", facts: { heldByCaller: true } });
      const other = await catchLockError(client.acquire(key));
      expect(other.facts).not.toHaveProperty("heldByCaller");
    });
  });

  it("the hold of another client, or outside of its withLock, is not entered", async ({
    client,
    env,
    key,
  }) => {
    const other = await env.openClient();
    await client.withLock(key, async () => {
      const error = await catchLockError(other.withLock(key, REENTRANT, async () => undefined));
      expect(error.code).toBe("held");
      expect(error.facts).not.toHaveProperty("heldByCaller");
    });
    const hold = await client.acquire(key);
    expect(await getErrorCode(client.withLock(key, REENTRANT, async () => undefined))).toBe("held");
    await hold.release();
  });

  it("a nested call inherits the format, and another format does not enter", async ({
    client,
    direct,
    key,
  }) => {
    await client.withLock(key, { format: "timestamp", unit: "s" }, async (outer) => {
      const { count, format } = await client.withLock(key, REENTRANT, async (inner) => inner);
      expect([count, format]).toEqual([2, "timestamp"]);
      outer.assertHeld();
      const other = { ...REENTRANT, format: "redisson" } as const;
      expect(await getErrorCode(client.withLock(key, other, async () => undefined))).toBe("not_a_lock");
    });
    expect(await direct.exists(key)).toBe(0);
  });

  it("branches of one withLock take turns", async ({ client, direct, key }) => {
    const { seen, enter } = countInside();
    await client.withLock(key, async () => {
      const branch = () =>
        client.withLock(key, { ...REENTRANT, waitMs: 5000 }, async ({ count }) => {
          expect(count).toBe(2);
          await enter();
        });
      await Promise.all([branch(), branch(), branch()]);
    });
    expect(seen).toEqual({ most: 1, entered: 3 });
    expect(await direct.exists(key)).toBe(0);
  });

  it("a branch that does not wait long enough, or whose signal aborts, does not enter", async ({
    client,
    key,
  }) => {
    await client.withLock(key, async (outer) => {
      const busy = createGate();
      const inside = createGate();
      const first = client.withLock(key, REENTRANT, () => {
        inside.open();
        return busy.opened;
      });
      await inside.opened;
      const enter = (options: WithLockOptions) =>
        catchLockError(client.withLock(key, { ...REENTRANT, ...options }, async () => undefined));
      const facts = { heldByCaller: true, holders: [{ fence: outer.fence }] };
      expect(await enter({})).toMatchObject({ code: "held", facts });
      expect(await enter({ retry: { tries: 2, pauseMs: 1 } })).toMatchObject({ code: "held", facts });
      expect(await enter({ waitMs: 20 })).toMatchObject({ code: "timeout", facts });
      const signal = AbortSignal.timeout(20);
      expect(await enter({ waitMs: 5000, signal })).toMatchObject({ code: "aborted", cause: signal.reason });
      const forever = client.withLock(
        key,
        { ...REENTRANT, waitMs: Number.POSITIVE_INFINITY },
        async () => "in",
      );
      busy.open();
      await first;
      expect(await forever).toBe("in");
    });
  });

  it("a hold survives the work that acquired it while a branch that was not awaited is inside", async ({
    client,
    direct,
    key,
  }) => {
    const { seen, enter } = countInside();
    const detached: Promise<unknown>[] = [];
    await client.withLock(key, async () => {
      const inside = createGate();
      const first = async () => {
        inside.open();
        await enter(100);
      };
      detached.push(client.withLock(key, REENTRANT, first));
      // This call is still waiting for its turn when the frame closes. It then acquires the lock after the hold has
      // ended.
      detached.push(
        client.withLock(key, { ...REENTRANT, waitMs: 5000 }, async ({ count }) => {
          expect(count).toBe(1);
          await enter();
        }),
      );
      await inside.opened;
    });
    expect(await direct.exists(key)).toBe(1);
    await Promise.all(detached);
    expect(seen).toEqual({ most: 1, entered: 2 });
    expect(await direct.exists(key)).toBe(0);
  });
});
