import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import type { WritableFormat } from "../../lib/contract/format.ts";
import { buildFairQueueKeys, buildFairWakeChannel, buildWakeChannel } from "../../server/formats/keys.ts";
import { createRedissonOwner, getErrorCode, sleepMs } from "../support/test-locks.ts";
import { waitUntil } from "../support/test-server.ts";
import { type ConformanceFixture, catchHolders, describeFeature } from "./conformance-fixture.ts";

const HELD_MS = 20_000;

/** Returns a function that writes a lock like another library does. */
function createForeignHold(scene: ConformanceFixture, owner: string) {
  return async (redis: Redis, key: string): Promise<unknown> => {
    if (scene.format.format === "redisson") {
      return await redis.multi().hset(key, owner, 1).pexpire(key, HELD_MS).exec();
    }
    if (scene.format.format === "token") return await redis.set(key, owner, "PX", HELD_MS, "NX");
    return await redis.setnx(key, owner);
  };
}

/** Creates an owner string like another library does in the format under test. */
function createForeignOwner({ format: { format, unit } }: ConformanceFixture): string {
  if (format === "redisson") return `${randomUUID()}:7`;
  if (format === "token") return randomUUID();
  const end = Date.now() + HELD_MS;
  return String(unit === "s" ? Math.ceil(end / 1000) : end);
}

type Write = (redis: Redis, key: string) => Promise<unknown>;

/** Functions that write data that is not a lock of the format. */
const FOREIGN_DATA: Record<WritableFormat, readonly (readonly [what: string, write: Write])[]> = {
  redisson: [
    ["a string", (redis, key) => redis.set(key, "x")],
    ["a list", (redis, key) => redis.rpush(key, "x")],
    ["an unrelated hash", (redis, key) => redis.hset(key, "name", "Ada")],
    ["a hash with the owner as a field", (redis, key) => redis.hset(key, "me", "5")],
  ],
  token: [
    ["a hash", (redis, key) => redis.hset(key, "me", "1")],
    ["a set", (redis, key) => redis.sadd(key, "me")],
    ["a long string", (redis, key) => redis.set(key, "me".repeat(1000))],
  ],
  timestamp: [
    ["a hash", (redis, key) => redis.hset(key, "me", "1")],
    ["a non-numeric string", (redis, key) => redis.set(key, "me")],
    ["a number that is not a timestamp", (redis, key) => redis.set(key, "42")],
    ["an empty string", (redis, key) => redis.set(key, "")],
  ],
};

export function describeForeignHolders(scene: ConformanceFixture): void {
  describe("foreign holds", () => {
    it("a foreign hold blocks acquire, is named in the refusal and is not changed by any verb", async () => {
      const key = scene.createKey();
      const theirs = createForeignOwner(scene);
      await scene.runOnServers(key, (redis) => createForeignHold(scene, theirs)(redis, key));
      const before = await scene.dumpContent(key);
      expect(await catchHolders(scene.acquire(key, "me"))).toEqual([theirs]);
      const unknown = scene.createUnknownHold(key);
      expect(await getErrorCode(scene.renew(unknown))).toBe("lost");
      expect(await getErrorCode(scene.reenter(unknown))).toBe("lost");
      expect(await scene.release(unknown)).toMatchObject({ outcome: "not_held" });
      expect(await scene.dumpContent(key)).toBe(before);
    });

    it("a Lockkeeper hold blocks clients of other libraries", async () => {
      const key = scene.createKey();
      const { token } = await scene.acquire(key, "me");
      const before = await scene.dumpContent(key);
      const { format } = scene.format;
      if (format === "redisson") {
        expect(await scene.runOnServers(key, (redis) => redis.hgetall(key))).toEqual({ [token]: "1" });
      } else {
        const theirs = createForeignOwner(scene);
        expect(
          await scene.runOnServers(key, (redis) => redis.set(key, theirs, "PX", HELD_MS, "NX")),
        ).toBeNull();
      }
      expect(await scene.dumpContent(key)).toBe(before);
      expect(await scene.runOnServers(key, (redis) => redis.pttl(key))).toBeGreaterThan(HELD_MS);
    });

    it("a foreign hold is not entered by an acquire of the same owner, nor by a principal that names it as a token", async () => {
      const key = scene.createKey();
      const theirs = createForeignOwner(scene);
      await scene.runOnServers(key, (redis) => createForeignHold(scene, theirs)(redis, key));
      const before = await scene.dumpContent(key);
      expect(await catchHolders(scene.acquire(key, theirs))).toEqual([theirs]);
      const named = { ...scene.createUnknownHold(key), token: theirs, principal: "key-1" };
      expect(await getErrorCode(scene.renew(named))).toBe("lost");
      expect(await getErrorCode(scene.reenter(named))).toBe("lost");
      expect(await scene.verify(named)).toMatchObject({ held: false });
      expect(await scene.release(named)).toMatchObject({ outcome: "not_held" });
      expect(await scene.dumpContent(key)).toBe(before);
    });

    it("a waiting acquire is granted when the foreign holder releases the lock in its own way", async () => {
      const key = scene.createKey();
      await scene.runOnServers(key, (redis) =>
        createForeignHold(scene, createForeignOwner(scene))(redis, key),
      );
      const waits = scene.acquire(key, "me", { waitMs: 15_000 });
      await sleepMs(150);
      const freedAt = performance.now();
      await scene.deleteKey(key);
      // Of these libraries, only Redisson publishes a message when it releases a lock.
      const tells = scene.format.format === "redisson";
      if (tells)
        await scene.runOnServers(key, (redis) =>
          // Redisson wakes only the first waiter in the queue of a fair lock.
          redis
            .lindex(String(buildFairQueueKeys(key)[0]), 0)
            .then((head) => redis.call(getWakeCommand(scene), nameWakeChannel(scene, key, head ?? ""), "0")),
        );
      expect((await waits).fence).toMatch(/^\d{16}$/);
      expect(performance.now() - freedAt).toBeLessThan(tells ? 800 : 3500);
    });

    describeFeature(scene, "force-release", () => {
      it("force-release ends a foreign hold only if its owner matches the one that was seen", async () => {
        const key = scene.createKey();
        const theirs = createForeignOwner(scene);
        await scene.runOnServers(key, (redis) => createForeignHold(scene, theirs)(redis, key));
        expect(await scene.forceRelease(key, createForeignOwner(scene).replace(/^./, "2"), null)).toBe(
          "changed",
        );
        expect(await scene.forceRelease(key, theirs, null)).toBe("released");
        expect(await scene.countKeys(key)).toBe(0);
      });
    });
  });

  describe("values that are not locks", () => {
    it.each(FOREIGN_DATA[scene.format.format])(
      "a value that is not a lock is refused as not_a_lock and left unchanged: %s",
      async (_, write) => {
        const key = scene.createKey();
        await scene.runOnServers(key, (redis) => write(redis, key));
        const before = await scene.dumpContent(key);
        expect(await getErrorCode(scene.acquire(key, "me"))).toBe("not_a_lock");
        const unknown = scene.createUnknownHold(key);
        expect(await getErrorCode(scene.renew(unknown))).toBe("lost");
        expect(await getErrorCode(scene.reenter(unknown))).toBe("lost");
        expect(await scene.release(unknown)).toMatchObject({ outcome: "not_held" });
        if (scene.format.lacks?.["force-release"] === undefined) {
          expect(await scene.forceRelease(key, "me", null)).toBe("not_a_lock");
        }
        expect(await scene.dumpContent(key)).toBe(before);
        expect(await scene.runOnServers(key, (redis) => redis.pttl(key))).toBe(-1);
      },
    );
  });
}

/**
 * Returns the channel to which Redisson's waiters subscribe.
 *
 * @param waiter owner string of the waiter, for a fair lock
 */
const nameWakeChannel = ({ format }: ConformanceFixture, key: string, waiter: string) =>
  String(format.kind === "fair" ? buildFairWakeChannel(key, waiter) : buildWakeChannel(key));

const getWakeCommand = (scene: ConformanceFixture) => scene.opened.wakesBy ?? "PUBLISH";

export function describeRedissonWakeUps(scene: ConformanceFixture): void {
  if (scene.format.format !== "redisson") return;
  describe("Redisson waiters", () => {
    it("Redisson waiters are woken once, by the last release", async () => {
      const key = scene.createKey();
      const heard: string[] = [];
      const [server] = scene.opened.findServers(key);
      const listener = server?.duplicate();
      if (listener === undefined) throw new Error("the key has no server");
      const waiter = createRedissonOwner();
      const channel = nameWakeChannel(scene, key, waiter);
      await (getWakeCommand(scene) === "PUBLISH"
        ? listener.subscribe(channel)
        : listener.ssubscribe(channel));
      for (const event of ["message", "smessage"]) {
        listener.on(event, (_: string, message: string) => heard.push(message));
      }
      const hold = await scene.acquire(key, "me");
      const [queue, ends] = buildFairQueueKeys(key).map(String);
      await scene.runOnServers(key, (redis) => redis.rpush(queue ?? "", waiter));
      await scene.runOnServers(key, (redis) => redis.zadd(ends ?? "", Date.now() + 300_000, waiter));
      await scene.reenter(hold);
      await scene.release(hold, { requestId: "r1" });
      await scene.release(hold);
      await waitUntil(() => heard.length > 0);
      await sleepMs(50);
      listener.disconnect();
      expect(heard).toEqual(["0"]);
    });
  });
}
