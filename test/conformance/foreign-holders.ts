import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import type { SpokenFormat } from "../../lib/contract/format.ts";
import { wakeChannelOf } from "../../server/formats/keys.ts";
import { until } from "../support/test-server.ts";
import { codeOf, having, holdersOf, pause, type Scene } from "./conformance-fixture.ts";

const HELD_MS = 20_000;

/** A holder of another library, as it writes itself. */
function takeByHand(scene: Scene, owner: string) {
  return async (redis: Redis, key: string): Promise<unknown> => {
    if (scene.spoken.format === "redisson") {
      return await redis.multi().hset(key, owner, 1).pexpire(key, HELD_MS).exec();
    }
    if (scene.spoken.format === "token") return await redis.set(key, owner, "PX", HELD_MS, "NX");
    return await redis.setnx(key, owner);
  };
}

/** How such a holder is named in its format. */
function foreignOwner({ spoken: { format, unit } }: Scene): string {
  if (format === "redisson") return `${randomUUID()}:7`;
  if (format === "token") return randomUUID();
  const end = Date.now() + HELD_MS;
  return String(unit === "s" ? Math.ceil(end / 1000) : end);
}

type Write = (redis: Redis, key: string) => Promise<unknown>;

/** What is somebody's data and no lock of the format. */
const STRANGE: Record<SpokenFormat, readonly (readonly [what: string, write: Write])[]> = {
  redisson: [
    ["a string", (redis, key) => redis.set(key, "x")],
    ["a list", (redis, key) => redis.rpush(key, "x")],
    ["an unrelated hash", (redis, key) => redis.hset(key, "name", "Ada")],
    ["a hash with the owner as a field", (redis, key) => redis.hset(key, "me", "5")],
  ],
  token: [
    ["a hash", (redis, key) => redis.hset(key, "me", "1")],
    ["a set", (redis, key) => redis.sadd(key, "me")],
    ["an empty string", (redis, key) => redis.set(key, "")],
    ["a long string", (redis, key) => redis.set(key, "me".repeat(1000))],
  ],
  timestamp: [
    ["a hash", (redis, key) => redis.hset(key, "me", "1")],
    ["a non-numeric string", (redis, key) => redis.set(key, "me")],
    ["a number that is not a timestamp", (redis, key) => redis.set(key, "42")],
    ["an empty string", (redis, key) => redis.set(key, "")],
  ],
};

export function foreign(scene: Scene): void {
  describe("foreign holds", () => {
    it("a foreign hold blocks acquire, is named in the refusal and is not changed by any verb", async () => {
      const key = scene.key();
      const theirs = foreignOwner(scene);
      await scene.byHand(key, (redis) => takeByHand(scene, theirs)(redis, key));
      const before = await scene.content(key);
      expect(await holdersOf(scene.acquire(key, "me"))).toEqual([theirs]);
      expect(await codeOf(scene.renew(key, "me"))).toBe("lost");
      expect(await scene.release(key, "me")).toMatchObject({ outcome: "not_held" });
      expect(await scene.content(key)).toBe(before);
    });

    it("a Lockkeeper hold blocks clients of other libraries", async () => {
      const key = scene.key();
      await scene.acquire(key, "me");
      const before = await scene.content(key);
      const { format } = scene.spoken;
      if (format === "redisson") {
        expect(await scene.byHand(key, (redis) => redis.hgetall(key))).toEqual({ me: "1" });
      } else {
        const theirs = foreignOwner(scene);
        expect(await scene.byHand(key, (redis) => redis.set(key, theirs, "PX", HELD_MS, "NX"))).toBeNull();
      }
      expect(await scene.content(key)).toBe(before);
      expect(await scene.byHand(key, (redis) => redis.pttl(key))).toBeGreaterThan(HELD_MS);
    });

    const enters = { redisson: "is re-entered, as counted in Redis", token: "cannot be re-entered" };
    const { format } = scene.spoken;
    if (format !== "timestamp") {
      it(`a foreign hold with the same owner string ${enters[format]}`, async () => {
        const key = scene.key();
        const theirs = foreignOwner(scene);
        await scene.byHand(key, (redis) => takeByHand(scene, theirs)(redis, key));
        if (format === "token") expect(await codeOf(scene.acquire(key, theirs))).toBe("held");
        else expect(await scene.acquire(key, theirs)).toMatchObject({ count: 2, fence: null });
      });
    }

    it("a waiting acquire is granted when the foreign holder releases the lock in its own way", async () => {
      const key = scene.key();
      await scene.byHand(key, (redis) => takeByHand(scene, foreignOwner(scene))(redis, key));
      const waits = scene.acquire(key, "me", { waitMs: 15_000 });
      await pause(150);
      const freedAt = performance.now();
      await scene.delete(key);
      // Redisson alone tells of it.
      const tells = scene.spoken.format === "redisson";
      if (tells)
        await scene.byHand(key, (redis) => redis.call(wakesBy(scene), String(wakeChannelOf(key)), "0"));
      expect((await waits).fence).toMatch(/^\d{16}$/);
      expect(performance.now() - freedAt).toBeLessThan(tells ? 800 : 3500);
    });

    having(scene, "force-release", () => {
      it("force-release ends a foreign hold only if its owner matches the one that was seen", async () => {
        const key = scene.key();
        const theirs = foreignOwner(scene);
        await scene.byHand(key, (redis) => takeByHand(scene, theirs)(redis, key));
        expect(await scene.force(key, foreignOwner(scene).replace(/^./, "2"), null)).toBe("changed");
        expect(await scene.force(key, theirs, null)).toBe("released");
        expect(await scene.exists(key)).toBe(0);
      });
    });
  });

  describe("values that are not locks", () => {
    it.each(STRANGE[scene.spoken.format])("a value that is not a lock is refused as not_a_lock and left unchanged: %s", async (_, write) => {
      const key = scene.key();
      await scene.byHand(key, (redis) => write(redis, key));
      const before = await scene.content(key);
      expect(await codeOf(scene.acquire(key, "me"))).toBe("not_a_lock");
      expect(await codeOf(scene.renew(key, "me"))).toBe("not_a_lock");
      expect(await codeOf(scene.release(key, "me"))).toBe("not_a_lock");
      if (scene.spoken.lacks?.["force-release"] === undefined) {
        expect(await scene.force(key, "me", null)).toBe("not_a_lock");
      }
      expect(await scene.content(key)).toBe(before);
      expect(await scene.byHand(key, (redis) => redis.pttl(key))).toBe(-1);
    });
  });
}

const wakesBy = (scene: Scene) => scene.opened.wakesBy ?? "PUBLISH";

export function redissonWakeUps(scene: Scene): void {
  if (scene.spoken.format !== "redisson") return;
  describe("Redisson waiters", () => {
    it("Redisson waiters are woken once, by the last release", async () => {
      const key = scene.key();
      const heard: string[] = [];
      const [server] = scene.opened.serversOf(key);
      const listener = server?.duplicate();
      if (listener === undefined) throw new Error("the key has no server");
      const channel = String(wakeChannelOf(key));
      await (wakesBy(scene) === "PUBLISH" ? listener.subscribe(channel) : listener.ssubscribe(channel));
      for (const event of ["message", "smessage"]) {
        listener.on(event, (_: string, message: string) => heard.push(message));
      }
      await scene.acquire(key, "me");
      await scene.acquire(key, "me");
      await scene.release(key, "me");
      await scene.release(key, "me");
      await until(() => heard.length > 0);
      await pause(50);
      listener.disconnect();
      expect(heard).toEqual(["0"]);
    });
  });
}
