import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { buildEventChannel } from "../../server/formats/keys.ts";
import type { ForceReleaseParams } from "../../server/formats/lock-format.ts";
import type { WaitRequest } from "../../server/formats/lock-requests.ts";
import { LOCK_WRITERS } from "../../server/formats/lock-writer.ts";
import type { HeldObservation, Observation } from "../../server/formats/observation.ts";
import { readKeys } from "../../server/formats/registry/read-keys.ts";
import type { AcquireReply } from "../../server/formats/script-replies.ts";
import { forceReleaseObserved, observeHeldLock, observeLock } from "./observed-lock.ts";
import { RedissonFixture } from "./redisson-fixture.ts";
import { startTestRedis, type TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

const BY_RULE = new FormatRules([{ pattern: "ruled:*", format: "redisson" }]);

/** A Redis with clients of Redisson, their subscriptions, and an operator. */
export class RedissonTestbed {
  readonly clients: readonly [RedissonFixture, RedissonFixture];
  readonly #messages: string[] = [];

  private constructor(
    private readonly server: TestRedis,
    readonly redis: Redis,
    private readonly subscriber: Redis,
  ) {
    this.clients = [new RedissonFixture(redis), new RedissonFixture(redis)];
    subscriber.on("message", (channel: string, message: string) =>
      this.#messages.push(`${channel} ${message}`),
    );
  }

  static async open(): Promise<RedissonTestbed> {
    const server = await startTestRedis();
    return new RedissonTestbed(server, server.createClient(), server.createClient());
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  createKey(prefix = "lock"): string {
    return `${prefix}:${randomUUID()}`;
  }

  /** Subscribes to a channel, as a waiting client does. */
  async subscribe(channel: string): Promise<void> {
    await this.subscriber.subscribe(channel);
  }

  /** Waits until the channel has received the message. */
  async waitForMessage(channel: string, message: string): Promise<void> {
    await waitUntil(() => this.#messages.includes(`${channel} ${message}`));
  }

  /** Returns the messages that a channel has received so far. */
  async readMessages(channel: string): Promise<string[]> {
    await this.redis.publish(channel, "last");
    await this.waitForMessage(channel, "last");
    const words = this.#messages.filter((each) => each.startsWith(`${channel} `));
    return words.map((each) => each.slice(channel.length + 1)).filter((word) => word !== "last");
  }

  observe(key: string, redis = this.redis): Promise<Observation> {
    return observeLock(redis, key, BY_RULE);
  }

  observeAll(keys: readonly string[], redis = this.redis): Promise<Observation[]> {
    return readKeys(redis, keys, BY_RULE);
  }

  /** Opens a connection as a new Redis user that only has the given ACL rights. */
  async connectAsUser(name: string, ...rights: string[]): Promise<Redis> {
    await this.redis.acl("SETUSER", name, "on", "nopass", ...rights);
    return this.redis.duplicate({ username: name, password: "any" });
  }

  observeHeld(key: string): Promise<HeldObservation> {
    return observeHeldLock(this.redis, key, BY_RULE);
  }

  /** Acquires a lock with Lockkeeper. */
  acquire(key: string, owner: string, waiting?: WaitRequest): Promise<AcquireReply> {
    const plain = { digest: "-", record: undefined, graceMs: 0, minHoldMs: 0 };
    const token = `${randomUUID()}:1`;
    const ask = { ...plain, token, owner, leaseMs: 30_000, id: randomUUID(), unit: "ms" as const };
    return LOCK_WRITERS.redisson.acquire(this.redis, buildEventChannel(0), key, ask, waiting);
  }

  forceRelease(
    seen: HeldObservation,
    ask: Partial<ForceReleaseParams> = {},
    redis = this.redis,
  ): Promise<string> {
    return forceReleaseObserved(redis, "events", seen, ask);
  }
}
