import { Redis } from "ioredis";
import type { LimitedRedis } from "./servers/limited-redis.ts";
import { readResidentMemory, resetPeak } from "./servers/process-memory.ts";

const SAMPLE_MS = 250;

/** Samples `used_memory` and the resident memory of Redis while a case runs. */
export class MemorySampler {
  readonly #redis: LimitedRedis;
  readonly #connection: Redis;
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #beforeBytes = 0;
  #peakBytes = 0;
  #rssPeakBytes = 0;

  constructor(redis: LimitedRedis) {
    this.#redis = redis;
    this.#connection = new Redis(redis.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    this.#connection.on("error", () => undefined);
  }

  async start(): Promise<void> {
    resetPeak(this.#redis.pid);
    this.#beforeBytes = await this.#readUsedMemory();
    this.#peakBytes = this.#beforeBytes;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_MS);
  }

  /** Stops the timer and takes a last sample if Redis is still running. */
  async stop() {
    clearInterval(this.#timer);
    if (!this.#redis.hasEnded()) await this.#sample();
    this.#connection.disconnect();
    return { beforeBytes: this.#beforeBytes, peakBytes: this.#peakBytes, rssPeakBytes: this.#rssPeakBytes };
  }

  async #sample(): Promise<void> {
    const memory = readResidentMemory(this.#redis.pid);
    if (memory !== undefined) this.#rssPeakBytes = Math.max(this.#rssPeakBytes, memory.peakBytes);
    if (this.#isReading) return;
    this.#isReading = true;
    const used = await this.#readUsedMemory().catch(() => 0);
    this.#isReading = false;
    this.#peakBytes = Math.max(this.#peakBytes, used);
  }

  async #readUsedMemory(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await this.#connection.info("memory"))?.[1]);
  }
}
