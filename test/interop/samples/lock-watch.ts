import type { TestRedis } from "../../support/test-redis.ts";

/** A hold as reported by Redis. Times are Unix milliseconds; a busy test process makes them late, but never early. */
export interface SeenHold {
  /** The deadline of the last lease that its holder set. */
  deadline: number;
  /** The deadline of the lease before that one. */
  previousDeadline: number;
  /** When it was released or found expired; at most the deadline. */
  endedAt?: number;
}

/**
 * Follows the locks whose key starts with a prefix, by keyspace notifications. It does not read them, because the next
 * holder may have set its lease by then.
 */
export class LockWatch {
  readonly #holds = new Map<string, SeenHold[]>();

  private constructor(private readonly leaseMs: number) {}

  /** @param leaseMs the lease that each acquire and renewal sets */
  static async start(redis: TestRedis, prefix: string, leaseMs: number): Promise<LockWatch> {
    const watch = new LockWatch(leaseMs);
    const subscriber = redis.createClient();
    subscriber.on("pmessage", (_, channel: string, event: string) => {
      watch.#follow(channel.slice(channel.indexOf(":") + 1), event);
    });
    await subscriber.psubscribe(`__keyspace@0__:${prefix}*`);
    return watch;
  }

  /** Lists the holds of a lock so far, oldest first. */
  listHolds(key: string): readonly SeenHold[] {
    return this.#holds.get(key) ?? [];
  }

  #follow(key: string, event: string): void {
    const holds = this.#holds.get(key) ?? [];
    this.#holds.set(key, holds);
    const now = Date.now();
    const hold = holds.at(-1);
    const isHeld = hold !== undefined && hold.endedAt === undefined;
    const deadline = now + this.leaseMs;
    if (event === "hset" && isHeld) {
      // A reservation sets its lease first, and then its field next to that of the holder.
      hold.deadline = hold.previousDeadline;
    } else if (event === "hset") {
      holds.push({ deadline, previousDeadline: deadline });
    } else if (event === "expire" && isHeld) {
      hold.previousDeadline = hold.deadline;
      hold.deadline = deadline;
    } else if ((event === "del" || event === "hdel" || event === "expired") && isHeld) {
      hold.endedAt = Math.min(now, hold.deadline);
    }
  }
}
