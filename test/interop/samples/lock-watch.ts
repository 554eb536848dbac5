import type { Redis } from "ioredis";
import type { TestRedis } from "../../support/test-redis.ts";

/** One hold as Redis showed it. Times are Unix milliseconds. */
export interface SeenHold {
  /** The field of the lock's hash, unique per hold. */
  readonly field: string;
  readonly since: number;
  /** By the lease that was set last. */
  deadline: number;
  /** When the lock was found without this hold, at most the deadline. */
  endedAt?: number;
}

/** Follows the locks whose key starts with a prefix, by keyspace notifications. */
export class LockWatch {
  readonly #holds = new Map<string, SeenHold[]>();
  #reading = Promise.resolve();

  private constructor(private readonly client: Redis) {}

  static async start(redis: TestRedis, prefix: string): Promise<LockWatch> {
    const watch = new LockWatch(redis.createClient());
    const subscriber = redis.createClient();
    subscriber.on("pmessage", (_, channel: string) => {
      const at = Date.now();
      const key = channel.slice(channel.indexOf(":") + 1);
      watch.#reading = watch.#reading.then(() => watch.#read(key, at)).catch(() => undefined);
    });
    await subscriber.psubscribe(`__keyspace@0__:${prefix}*`);
    return watch;
  }

  /** The holds of a lock so far, oldest first. */
  async readHolds(key: string): Promise<readonly SeenHold[]> {
    const reading = this.#reading.then(() => this.#read(key, Date.now()));
    this.#reading = reading.catch(() => undefined);
    await reading;
    return this.#holds.get(key) ?? [];
  }

  async #read(key: string, at: number): Promise<void> {
    const holds = this.#holds.get(key) ?? [];
    this.#holds.set(key, holds);
    const sentAt = Date.now();
    const replies = await this.client.multi().hkeys(key).pttl(key).exec();
    const [fields, leftMs] = (replies ?? []).map(([, reply]) => reply) as [string[], number];
    const last = holds.at(-1);
    const field = fields[0];
    if (last !== undefined && last.endedAt === undefined && last.field !== field) {
      last.endedAt = Math.min(at, last.deadline);
    }
    if (field === undefined) return;
    if (last?.field === field) last.deadline = sentAt + leftMs;
    else holds.push({ field, since: at, deadline: sentAt + leftMs });
  }
}
