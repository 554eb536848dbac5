import { createServer } from "node:http";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { createTestKey, getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import type { WithLockOptions } from "./hold-options.ts";
import type { LockClient } from "./lock-client.ts";

const it = locksTest();

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

// Tasks that the work of a `withLock` starts must exclude each other, on the key of the `withLock` and on other keys.
describe("tasks inside a withLock", () => {
  const createDebit = (client: LockClient, key: string, options: WithLockOptions = {}) => {
    const { seen, enter } = countInside();
    return { seen, debit: () => client.withLock(key, { waitMs: 5000, ...options }, () => enter()) };
  };

  it.for([false, true])(
    "two debits inside another withLock exclude each other (reentrant: %s)",
    async (reentrant, { client, key }) => {
      const { seen, debit } = createDebit(client, key, { reentrant });
      await client.withLock(createTestKey(), () => Promise.all([debit(), debit()]));
      expect(seen).toEqual({ most: 1, entered: 2 });
    },
  );

  it.for([false, true])(
    "requests to a server started inside a withLock that has ended exclude each other (reentrant: %s)",
    async (reentrant, { client, key }) => {
      for (const boot of [createTestKey(), key]) {
        const { seen, debit } = createDebit(client, key, { reentrant });
        const server = createServer((_, response) => {
          debit().then(
            () => response.end("done"),
            (error) => response.end(String(error)),
          );
        });
        await client.withLock(boot, () => new Promise<void>((resolve) => void server.listen(0, resolve)));
        const address = server.address();
        const port = typeof address === "object" ? address?.port : undefined;
        const request = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
        expect(await Promise.all([request(), request(), request()])).toEqual(["done", "done", "done"]);
        expect(seen).toEqual({ most: 1, entered: 3 });
        server.closeAllConnections();
        server.close();
      }
    },
  );

  it.for([false, true])(
    "timers started inside a withLock exclude each other after it has ended (reentrant: %s)",
    async (reentrant, { client, direct, key }) => {
      for (const start of [createTestKey(), key]) {
        const { seen, debit } = createDebit(client, key, { reentrant });
        const results: string[] = [];
        const run = () => getErrorCode(debit()).then((code) => results.push(code));
        await client.withLock(start, async () => {
          for (const ms of [5, 5, 30]) setTimeout(run, ms);
        });
        await waitUntil(() => results.length === 3);
        expect(results).toEqual(["ok", "ok", "ok"]);
        expect(seen).toEqual({ most: 1, entered: 3 });
      }
      expect(await direct.exists(key)).toBe(0);
    },
  );
});
