import type { Redis } from "ioredis";

interface LeaseSample {
  /** Just before the request was sent, in monotonic milliseconds of the machine. */
  readonly at: number;
  /** The earliest time at which the lock can expire, or `undefined` if it is not held. */
  readonly endsAt: number | undefined;
}

const EVERY_MS = 25;

/** Records when the lease of a lock ends according to Redis, until it is stopped. */
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

  /** Returns the end of the lease as of `at`, without later renewals. */
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
