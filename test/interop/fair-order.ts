import type { Redis } from "ioredis";
import { buildFairQueueKeys } from "../../server/formats/keys.ts";

/** Measurements of a fair lock's queue, derived from the Redis commands of its scripts. */
export interface FairOrder {
  /** Grants to clients that were not first in the queue. Empty if the lock is fair. */
  readonly bypasses: readonly string[];
  readonly grants: number;
  /** Times in ms on the server's clock from each release with a nonempty queue to the grant of the first waiter. */
  readonly handOffsMs: readonly number[];
}

/**
 * Follows the queue of a fair lock with MONITOR, which reports the commands of all scripts in the order of execution.
 */
export class FairOrderRecorder {
  readonly #queue: string[] = [];
  readonly #bypasses: string[] = [];
  readonly #handOffsMs: number[] = [];
  #grants = 0;
  /**
   * The waiter that was removed from the queue last. A script of Redisson removes a waiter before it stores the hold,
   * and a script of Lockkeeper does so afterwards.
   */
  #called: string | undefined;
  #holder: string | undefined;
  #releasedAt: number | undefined;

  private constructor(
    private readonly key: string,
    private readonly monitor: Redis,
  ) {}

  static async start(redis: Redis, key: string): Promise<FairOrderRecorder> {
    const recorder = new FairOrderRecorder(key, await redis.monitor());
    const [queue] = buildFairQueueKeys(key);
    recorder.monitor.on("monitor", (time: string, words: readonly string[], source: string) => {
      const [command = "", at, ...rest] = words;
      if (source !== "lua") return;
      if (at === queue) recorder.#readQueue(command.toLowerCase(), rest);
      else if (at === key) recorder.#readLock(command.toLowerCase(), rest, Number(time) * 1000);
    });
    return recorder;
  }

  stop(): FairOrder {
    this.monitor.disconnect();
    return { bypasses: this.#bypasses, grants: this.#grants, handOffsMs: this.#handOffsMs };
  }

  #readQueue(command: string, words: readonly string[]): void {
    if (command === "rpush") this.#queue.push(words[0] ?? "");
    else if (command === "lrem") this.#remove(words[1] ?? "");
    else if (command === "lpop") {
      const first = this.#queue.shift();
      if (first !== this.#holder) this.#called = first;
    }
  }

  #remove(waiter: string): void {
    const at = this.#queue.indexOf(waiter);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  #readLock(command: string, [field = ""]: readonly string[], atMs: number): void {
    if (command === "hset") {
      const isFirst = this.#called === field || this.#queue.length === 0 || this.#queue[0] === field;
      if (!isFirst) this.#bypasses.push(`${field} acquired ${this.key} before ${this.#queue[0]}`);
      if (this.#releasedAt !== undefined) this.#handOffsMs.push(atMs - this.#releasedAt);
      this.#grants++;
      this.#holder = field;
      this.#called = undefined;
      this.#releasedAt = undefined;
    } else if (command === "del" || command === "hdel") {
      this.#holder = undefined;
      this.#releasedAt = this.#queue.length > 0 ? atMs : undefined;
    }
  }
}
