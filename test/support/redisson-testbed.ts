import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { FormatRules } from "../../server/formats/format-rules.ts";
import { eventChannelOf } from "../../server/formats/keys.ts";
import type { FreeAsk } from "../../server/formats/lock-format.ts";
import { FORMATS, type Waiting } from "../../server/formats/lock-writer.ts";
import type { HeldObservation, Observation } from "../../server/formats/observation.ts";
import { knownFormat } from "../../server/formats/registry/lock-formats.ts";
import { read } from "../../server/formats/registry/read-keys.ts";
import type { AcquireReply } from "../../server/formats/script-replies.ts";
import { RedissonFixture } from "./redisson-fixture.ts";
import { startTestRedis, type TestRedis } from "./test-redis.ts";
import { until } from "./test-server.ts";

const BY_RULE = new FormatRules([{ pattern: "ruled:*", format: "redisson" }]);

/** A Redis with clients of Redisson, who listens, and what an operator does. */
export class Scene {
  readonly clients: readonly [RedissonFixture, RedissonFixture];
  readonly #heard: string[] = [];

  private constructor(
    private readonly server: TestRedis,
    readonly redis: Redis,
    private readonly subscriber: Redis,
  ) {
    this.clients = [new RedissonFixture(redis), new RedissonFixture(redis)];
    subscriber.on("message", (channel: string, message: string) => this.#heard.push(`${channel} ${message}`));
  }

  static async open(): Promise<Scene> {
    const server = await startTestRedis();
    return new Scene(server, server.client(), server.client());
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  key(prefix = "lock"): string {
    return `${prefix}:${randomUUID()}`;
  }

  /** A client that waits: it listens on this channel. */
  async listens(channel: string): Promise<void> {
    await this.subscriber.subscribe(channel);
  }

  /** What was said to those who listen, as soon as this is among it. */
  async hears(channel: string, message: string): Promise<void> {
    await until(() => this.#heard.includes(`${channel} ${message}`));
  }

  /** What was said on a channel up to now. */
  async heardOn(channel: string): Promise<string[]> {
    await this.redis.publish(channel, "last");
    await this.hears(channel, "last");
    const words = this.#heard.filter((each) => each.startsWith(`${channel} `));
    return words.map((each) => each.slice(channel.length + 1)).filter((word) => word !== "last");
  }

  async look(key: string, redis = this.redis): Promise<Observation> {
    const [seen] = await this.lookAll([key], redis);
    if (seen === undefined) throw new Error("nothing was read");
    return seen;
  }

  lookAll(keys: readonly string[], redis = this.redis): Promise<Observation[]> {
    return read(redis, keys, BY_RULE);
  }

  /** A connection of a user with these rights alone. */
  async user(name: string, ...rights: string[]): Promise<Redis> {
    await this.redis.acl("SETUSER", name, "on", "nopass", ...rights);
    return this.redis.duplicate({ username: name, password: "any" });
  }

  async held(key: string): Promise<HeldObservation> {
    const seen = await this.look(key);
    if (seen.state !== "held") throw new Error(`${key} is ${seen.state}`);
    return seen;
  }

  /** By our own verb. */
  acquire(key: string, owner: string, waiting?: Waiting): Promise<AcquireReply> {
    const plain = { digest: "-", reentrant: true, record: undefined, graceMs: 0, minHoldMs: 0 };
    const ask = { ...plain, owner, leaseMs: 30_000, id: randomUUID(), unit: "ms" as const };
    return FORMATS.redisson.acquire(this.redis, eventChannelOf(0), key, ask, waiting);
  }

  async free(seen: HeldObservation, ask: Partial<FreeAsk> = {}, redis = this.redis): Promise<string> {
    const frees = knownFormat(seen.format, seen.type)?.frees;
    const whole = { holder: undefined, by: "mei", reason: "test", ...ask };
    const reply = await frees?.free(redis, "events", seen, whole);
    return reply?.outcome ?? "refused";
  }
}
