import type { TestRedis } from "../../support/test-redis.ts";

/** One hold as Redis announced it. Times are Unix milliseconds; a busy test process makes them late, never early. */
export interface SeenHold {
  /** By the lease that its holder set last. */
  deadline: number;
  /** By the lease before that one. */
  previousDeadline: number;
  /** When it was released or found expired, at most the deadline. */
  endedAt?: number;
}

/**
 * Follows the locks whose key starts with a prefix, by keyspace notifications. It reads nothing: by the time of the
 * read the next holder may have set its own lease.
 */
export class LockWatch {
  readonly #holds = new Map<string, SeenHold[]>();

  private constructor(private readonly leaseMs: number) {}

  /** @param leaseMs what each acquire and each renewal sets */
  static async start(redis: TestRedis, prefix: string, leaseMs: number): Promise<LockWatch> {
    const watch = new LockWatch(leaseMs);
    const subscriber = redis.createClient();
    subscriber.on("pmessage", (_, channel: string, event: string) => {
      watch.#follow(channel.slice(channel.indexOf(":") + 1), event);
    });
    await subscriber.psubscribe(`__keyspace@0__:${prefix}*`);
    return watch;
  }

  /** The holds of a lock so far, oldest first. */
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
      // A reservation sets its own lease first, and then its field beside the one of the holder.
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
