import { describe, expect } from "vitest";
import { quorumTest } from "../../../test/support/fixtures.ts";
import { getErrorCode, sleepMs } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { AcquireOptions } from "../verbs/contract/verbs.ts";

const it = quorumTest(5).extend(
  "acquireEverywhere",
  { scope: "file" },
  ({ acquire, readFences }) =>
    async (key: string, more: Partial<AcquireOptions> = {}) => {
      const hold = await acquire(key, "me", more);
      await waitUntil(async () => (await readFences(key)).every((fence) => fence === hold.fence));
      return hold;
    },
);
const everywhere = <Value>(value: Value) => Array.from({ length: 5 }, () => value);

describe("quorum release", () => {
  it("a release without a majority returns not_held and removes the remaining votes", async ({
    acquireEverywhere,
    masters,
    release,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await masters.vacate(key, [0, 1, 2]);
    expect(await release(hold)).toMatchObject({ outcome: "not_held", count: 0 });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a release ends a hold that only a bare majority had", async ({
    acquireEverywhere,
    masters,
    release,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await masters.vacate(key, [0, 1]);
    expect(await release(hold)).toMatchObject({ outcome: "released", count: 0 });
  });

  it("a release ends the vote of a master that missed the agreed fencing token", async ({
    acquireEverywhere,
    masters,
    release,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    const other = String(Number(hold.fence) - 7);
    const missed = { token: hold.token, from: hold.fence, fence: other, count: 1 };
    await LOCK_WRITERS.token.agree(masters.getClient(4), key, missed);
    expect(await release(hold)).toMatchObject({ outcome: "released" });
    await waitUntil(async () => (await masters.readHolders(key)).every((vote) => vote === null));
  });

  it("a release under another fencing token returns not_held and touches no vote", async ({
    acquireEverywhere,
    masters,
    release,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    expect(await release({ ...hold, fence: "7" })).toMatchObject({ outcome: "not_held" });
    await sleepMs(50);
    expect(await masters.readHolders(key)).toEqual(everywhere(hold.token));
  });

  it("a release repeated with its id gives back one count, and one without an id needs one", async ({
    acquireEverywhere,
    backend,
    key,
  }) => {
    const { verbs } = backend;
    const hold = await acquireEverywhere(key);
    await verbs.reenter(hold);
    await verbs.reenter(hold);
    expect(await getErrorCode(verbs.release(hold))).toBe("idempotency_key_required");
    for (const _ of [1, 2]) {
      const released = await verbs.release(hold, { requestId: "r1" });
      expect(released).toMatchObject({ outcome: "still_held", count: 2 });
    }
    expect(await verbs.release(hold, { requestId: "r2" })).toMatchObject({ count: 1 });
    expect(await verbs.release(hold)).toMatchObject({ outcome: "released", count: 0 });
    expect(await verbs.release(hold)).toMatchObject({ outcome: "not_held", count: 0 });
  });

  it("a release can reserve the lock on all masters", async ({
    acquireEverywhere,
    backend,
    masters,
    key,
  }) => {
    const hold = await acquireEverywhere(key);
    await backend.verbs.release(hold, { reservedMs: 20_000 });
    await waitUntil(async () =>
      (await masters.readHolders(key)).every((vote) => vote === "lockkeeper:reserve:me"),
    );
  });
});

describe("principals in a quorum", () => {
  it("another principal cannot enter, renew, verify or release a hold", async ({
    acquireEverywhere,
    backend,
    key,
  }) => {
    const { verbs } = backend;
    const hold = { ...(await acquireEverywhere(key, { principal: "key-1" })), principal: "key-1" };
    for (const principal of ["key-2", undefined]) {
      const other = { ...hold, principal };
      const calls = [verbs.reenter(other), verbs.renew(other), verbs.verify(other), verbs.release(other)];
      expect(await Promise.all(calls.map(getErrorCode))).toEqual(Array(4).fill("not_owner"));
    }
    expect(await verbs.verify(hold)).toMatchObject({ held: true, count: 1, owner: "me" });
    expect(await verbs.release(hold)).toMatchObject({ outcome: "released" });
  });
});
