import { describe, expect } from "vitest";
import { createTestKey } from "../../../test/support/test-locks.ts";
import { mastersTest } from "../../support/fixtures.ts";
import { type Connection, Redlock4, Redlock5 } from "./clients.ts";
import { getOutcomeName, measureMs, startOperator } from "./operator.ts";

const it = mastersTest(3)
  .extend("operator", { scope: "file" }, async ({ masters }, { onCleanup }) => {
    const targets = [{ name: "quorum", redis: { quorum: masters.urls } }];
    const operator = await startOperator((home) => ({ home, targets }));
    onCleanup(() => operator.stop());
    return operator;
  })
  .extend("connections", { scope: "file" }, ({ masters, operator }) =>
    masters.urls.map((url) => operator.connection(url)),
  );

const LEASE_MS = 30_000;
const ONCE = { retryCount: 0 };
const PATIENT = { retryCount: 400, retryDelay: 50 };

const LIBRARIES = [
  {
    ...{ name: "redlock 4", refusal: "LockError" },
    async take(connections: Connection[], key: string, settings = ONCE) {
      const lock = await new Redlock4(connections, settings).lock(key, LEASE_MS);
      return { value: lock.value, release: (): Promise<unknown> => lock.unlock() };
    },
  },
  {
    ...{ name: "redlock 5", refusal: "ExecutionError" },
    async take(connections: Connection[], key: string, settings = ONCE) {
      const locks = new Redlock5(connections, settings);
      // redlock emits an error event for each retry. Without a listener, the event would end the process.
      locks.on("error", () => undefined);
      const lock = await locks.acquire([key], LEASE_MS);
      return { value: lock.value, release: () => lock.release() };
    },
  },
];

describe.each(LIBRARIES)("$name lock on three masters", ({ take, refusal }) => {
  it("a lock held on three masters is one lock and goes to the waiter when force-released on all at once", async ({
    connections,
    operator,
  }) => {
    const key = createTestKey();
    const { value, release } = await take(connections, key);
    const lock = await operator.findListed(key, ({ votes }) => votes?.owners[0]?.masters === 3);
    expect(lock).toMatchObject({
      ...{ state: "held", format: "redlock", holders: [{ owner: value, fence: null }] },
      votes: { of: 3, state: "decided", owners: [{ owner: value, masters: 3 }] },
    });
    expect(lock.remainingMs).toBeGreaterThan(LEASE_MS - 5000);

    const next = take(connections, key, PATIENT);
    const freed = await operator.forceRelease(key, { expectedVersion: lock.version ?? "" });
    expect([freed.status, freed.body.outcome, freed.body.owner]).toEqual([200, "released", value]);
    expect(await measureMs(next)).toBeLessThan(3000);
    expect(await getOutcomeName(release())).toBe(refusal);
    expect((await operator.readLock(key)).holders).toMatchObject([{ owner: (await next).value }]);
    expect((await operator.forceRelease(key, { expectedVersion: lock.version ?? "" })).body.code).toBe(
      "changed",
    );
    expect(await getOutcomeName((await next).release())).toBe("done");
    const { value: second } = await next;
    const readEvents = async () =>
      (await operator.readHistory(key)).filter((line) => line !== "gap undefined");
    await expect
      .poll(readEvents, { timeout: 5000 })
      .toEqual([`acquired ${value}`, `force_released ${value}`, `acquired ${second}`, `released ${second}`]);
  });
});
