import type { Redis } from "ioredis";

interface LeaseSample {
  /** Time just before the request was sent, in milliseconds on the monotonic clock of the machine. */
  readonly at: number;
  /** The earliest time at which the lock can expire, on the same clock. `undefined` if the lock is not held. */
  readonly endsAt: number | undefined;
}

const EVERY_MS = 25;

/** A recorder of the end of a lock's lease according to Redis. Reads the TTL repeatedly until `stop` is called. */
export class LeaseSamples {
  readonly #samples: LeaseSample[] = [];
  #state: "running" | "stopped" = "running";
  readonly #loop: Promise<void>;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
  ) {
    this.#loop = this.#run();
  }

  /** Returns the end of the lease that was known at the time `at`, without later renewals. */
  findLeaseEnd(at: number): number | undefined {
    return this.#samples.findLast((sample) => sample.at <= at && sample.endsAt !== undefined)?.endsAt;
  }

  async stop(): Promise<void> {
    this.#state = "stopped";
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (this.#state === "running") {
      const at = Number(process.hrtime.bigint()) / 1e6;
      const ttlMs = await this.redis.pttl(this.key).catch(() => -2);
      this.#samples.push({ at, endsAt: ttlMs > 0 ? at + ttlMs : undefined });
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}
