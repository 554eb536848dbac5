import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { locksTest } from "../../../test/support/fixtures.ts";
import { EVENT_CHANNEL, observeHeldLock } from "../../../test/support/observed-lock.ts";
import { readCompanion } from "../../../test/support/test-locks.ts";
import { waitUntil } from "../../../test/support/test-server.ts";
import { buildCompanionKey } from "../../formats/keys.ts";
import { LOCK_WRITERS } from "../../formats/lock-writer.ts";
import type { LockClient } from "./lock-client.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TARBALL = join(ROOT, "test/releases/0.2.0/lockkeeper-redis-0.2.0.tgz");
const DEPENDENCIES = ["ioredis", "zod", "cluster-key-slot"];

/** Unpacks `@lockkeeper/redis` of version 0.2.0 with the dependencies of this repository. */
async function unpackOlderVersion(folder: string): Promise<void> {
  await promisify(execFile)("tar", ["-xzf", TARBALL, "-C", folder]);
  await mkdir(join(folder, "node_modules"));
  for (const name of DEPENDENCIES)
    await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}

const it = locksTest()
  .extend("load", { scope: "file" }, async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "lockkeeper-older-"));
    onCleanup(() => rm(folder, { recursive: true }));
    await unpackOlderVersion(folder);
    return async (path: string): Promise<unknown> =>
      await import(pathToFileURL(join(folder, "package/esm", path)).href);
  })
  .extend("request", { scope: "file" }, ({ locks, direct }) => async (key: string) => {
    const seen = await observeHeldLock(direct, key);
    return await locks.requestRelease(seen, seen.holders[0], { by: "mei", reason: "migration" });
  });

describe("release requests beside version 0.2.0", () => {
  it("its scripts keep the request, and its readers read the record", async ({
    load,
    acquire,
    request,
    direct,
    key,
  }) => {
    const record = { service: "orders", purpose: "reindex" };
    const hold = await acquire(key, "worker", { record, receivesReleaseRequests: true });
    await request(key);
    const older = (await load("server/formats/lock-writer.js")) as { LOCK_WRITERS: typeof LOCK_WRITERS };
    const writer = older.LOCK_WRITERS.redisson;
    const ask = { token: hold.token, fence: hold.fence, leaseMs: 60_000, digest: "d" };
    for (const [id, call] of [["r1", writer.renew] as const, ["r2", writer.reenter] as const])
      expect((await call.call(writer, direct, EVENT_CHANNEL, key, { ...ask, id })).outcome).toBe("granted");
    await writer.renewMany(direct, EVENT_CHANNEL, [{ ...ask, key }]);
    await writer.release(direct, EVENT_CHANNEL, key, { ...ask, id: "r3" });
    expect(await readCompanion(direct, key)).toMatchObject({
      ...{ count: 1, record, receivesReleaseRequests: true },
      releaseRequested: { state: "requested", reason: "migration" },
    });
    const { parseCompanion } = (await load("server/formats/companion.js")) as {
      parseCompanion(text: string): object | undefined;
    };
    const text = await direct.get(String(buildCompanionKey(key)));
    expect(parseCompanion(text ?? "")).toMatchObject({ owner: "worker", fence: hold.fence, record });
    await writer.release(direct, EVENT_CHANNEL, key, { ...ask, id: "r4" });
    expect((await readCompanion(direct, key))?.releaseRequested).toBeUndefined();
  });

  it("its clients receive no request, and ignore a message about one", async ({
    load,
    request,
    env,
    direct,
    key,
  }) => {
    const older = (await load("packages/redis/index.js")) as { LockClient: typeof LockClient };
    const client = await older.LockClient.open(env.redis.url);
    const hold = await client.acquire(key);
    expect(await request(key)).toEqual({ outcome: "unsupported" });
    const channel = `lockkeeper:client:${hold.token.split(":")[0]}`;
    await waitUntil(async () => (await direct.pubsub("NUMSUB", channel))[1] === 1);
    const ask = '["rr_1","requested",1,"mei","migration",null]';
    await direct.publish(channel, `release_requested\t${hold.fence}\t${hold.token}\t${ask}`);
    await hold.renew();
    expect(hold.state).toBe("held");
    await direct.publish(channel, `${hold.fence}\t${hold.token}`);
    await waitUntil(() => hold.state === "lost");
    client.close();
  });
});

describe("companions beside version 0.2.0", () => {
  it("each version releases the holds of the other one, and fencing tokens increase", async ({
    load,
    acquire,
    locks,
    direct,
    key,
  }) => {
    const older = (await load("server/formats/lock-writer.js")) as { LOCK_WRITERS: typeof LOCK_WRITERS };
    const writer = older.LOCK_WRITERS.redisson;
    let [last, count] = [0n, 0];
    const assertLarger = (fence: string) => {
      expect(BigInt(fence)).toBeGreaterThan(last);
      last = BigInt(fence);
    };
    for (let round = 0; round < 3; round++) {
      const hold = await acquire(key, "new");
      assertLarger(hold.fence);
      const { token, fence } = hold;
      const ask = { digest: "-", token, fence };
      expect(
        await writer.release(direct, EVENT_CHANNEL, key, { ...ask, id: `older.${++count}` }),
      ).toMatchObject({ outcome: "released", fence });
      const olderHold = await writer.acquire(direct, EVENT_CHANNEL, key, {
        ...{ id: `older.${++count}`, digest: "-", token: `${randomUUID()}:1`, owner: "old", leaseMs: 30_000 },
        ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" },
      });
      if (olderHold.outcome !== "granted") throw new Error(olderHold.outcome);
      assertLarger(olderHold.fence);
      expect(await locks.release({ key, format: "redisson", unit: undefined, ...olderHold })).toMatchObject({
        outcome: "released",
      });
    }
  });

  it("an acquire that arrives again during a later hold of version 0.2.0 is not granted that hold", async ({
    load,
    direct,
    key,
  }) => {
    const older = (await load("server/formats/lock-writer.js")) as { LOCK_WRITERS: typeof LOCK_WRITERS };
    const createRequest = (id: string) => ({
      ...{ id, digest: "-", token: `${randomUUID()}:1`, owner: "me", leaseMs: 30_000 },
      ...{ record: undefined, graceMs: 0, minHoldMs: 0, unit: "ms" as const },
    });
    const [first, second] = [createRequest("new.1"), createRequest("older.1")];
    const acquire = (writers: typeof LOCK_WRITERS, request: typeof first, retryMs?: number) =>
      writers.redisson.acquire(direct, EVENT_CHANNEL, key, { ...request, retryMs });
    expect(await acquire(LOCK_WRITERS, first)).toMatchObject({ outcome: "granted" });
    await direct.del(key);
    expect(await acquire(older.LOCK_WRITERS, second)).toMatchObject({ outcome: "granted" });
    expect((await acquire(LOCK_WRITERS, first, 0)).outcome).not.toBe("granted");
    expect(await direct.hkeys(key)).toEqual([second.token]);
  });
});
