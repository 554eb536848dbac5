import type { TestRedis } from "../../support/test-redis.ts";

/**
 * A hold according to keyspace notifications. Times are in Unix milliseconds. If the test process is busy, they are too
 * late, but never too early.
 */
export interface SeenHold {
  /** Deadline of the lease that the holder set last. */
  deadline: number;
  /** Deadline of the lease before the last one. */
  previousDeadline: number;
  /** Time at which the hold was released or expired, at most `deadline`. Absent while the lock is held. */
  endedAt?: number;
}

/**
 * Follows the locks with a key prefix by keyspace notifications. It does not read the locks, because a read could
 * already return the lease of the next holder.
 */
export class LockWatch {
  readonly #holds = new Map<string, SeenHold[]>();

  private constructor(private readonly leaseMs: number) {}

  /** @param leaseMs lease in ms that each acquire and renewal sets */
  static async start(redis: TestRedis, prefix: string, leaseMs: number): Promise<LockWatch> {
    const watch = new LockWatch(leaseMs);
    const subscriber = redis.createClient();
    subscriber.on("pmessage", (_, channel: string, event: string) => {
      watch.#follow(channel.slice(channel.indexOf(":") + 1), event);
    });
    await subscriber.psubscribe(`__keyspace@0__:${prefix}*`);
    return watch;
  }

  /** Lists the holds of a lock that have been observed so far, oldest first. */
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
      // This is a reservation, which sets its own lease before it adds its field to the hash. That lease is not the
      // holder's.
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
