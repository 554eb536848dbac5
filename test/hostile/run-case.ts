import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./client/client.ts";
import type { ClientResult } from "./client/messages.ts";
import type { CaseContext, HostileCase } from "./hostile-case.ts";
import { LIMITS } from "./limits.ts";
import { MemorySampler } from "./memory-sampler.ts";
import { type Environment, waitUntil } from "./servers/environment.ts";
import { readResidentMemory, resetPeak } from "./servers/process-memory.ts";
import type { Sizes } from "./sizes.ts";
import type { Measurement } from "./verdict.ts";

const DEADLINE_MS = 90_000;
const POLL_MS = 50;
const LIST_LOCKS_MS_MAX = 40_000;
const KEYS_PER_BATCH = 500;

export interface CaseRun {
  readonly environment: Environment;
  readonly client: Client;
  readonly sizes: Sizes;
  readonly quietP99Ms: number;
}

/** Plants the data of a case, runs its attack while the client acquires locks, and measures the effects. */
export async function runCase(hostile: HostileCase, run: CaseRun): Promise<Measurement> {
  const { environment } = run;
  const startedAt = performance.now();
  const sampler = new MemorySampler(environment.redis);
  await sampler.start();
  const { pid } = environment.lockkeeper;
  const rssBeforeBytes = readResidentMemory(pid)?.currentBytes ?? 0;
  resetPeak(pid);
  let rssPeakBytes = rssBeforeBytes;
  const rssTimer = setInterval(() => {
    rssPeakBytes = Math.max(rssPeakBytes, readResidentMemory(pid)?.peakBytes ?? 0);
  }, POLL_MS);
  const attempt = new Attempt(hostile, run);
  await attempt.perform();
  clearInterval(rssTimer);
  const after = readResidentMemory(pid);
  return {
    name: hostile.name,
    plantedBytes: attempt.plantedBytes,
    redis: await sampler.stop(),
    lockkeeper: {
      rssBeforeBytes,
      rssPeakBytes: Math.max(rssPeakBytes, after?.peakBytes ?? 0),
      rssAfterBytes: after?.currentBytes ?? 0,
    },
    client: attempt.result,
    quietP99Ms: run.quietP99Ms,
    allowedStates: hostile.allowedStates ?? [],
    faults: attempt.faults,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

/**
 * One execution of a case, from planting to the check of the victim's lock. It ends at its deadline even if the servers
 * hang.
 */
class Attempt {
  readonly faults: string[] = [];
  plantedBytes = 0;
  result: ClientResult | undefined;
  readonly #hostile: HostileCase;
  readonly #run: CaseRun;
  readonly #enough = new AbortController();
  readonly #over = new AbortController();
  #step = "planting";

  constructor(hostile: HostileCase, run: CaseRun) {
    this.#hostile = hostile;
    this.#run = run;
  }

  async perform(): Promise<void> {
    const { environment, client } = this.#run;
    const over = this.#watchEnd();
    const steps = this.#performSteps().catch((error: unknown) => {
      if (!this.#over.signal.aborted) this.faults.push(`${this.#step}: ${formatError(error)}`);
    });
    await Promise.race([steps, over]);
    this.#over.abort();
    this.#enough.abort();
    if (this.#step !== "planting") this.result = await client.end();
    const end = environment.describeEnd();
    if (end !== undefined && !this.faults.includes(end)) this.faults.push(end);
  }

  async #performSteps(): Promise<void> {
    const { environment, client } = this.#run;
    const context = this.#createContext();
    await this.#hostile.plant?.(context);
    this.#over.signal.throwIfAborted();
    const { url } = environment.lockkeeper;
    const { secret } = environment.keys.application;
    this.#step = "attack";
    await client.begin({ url, secret, apiVersion: environment.versionName });
    const attack = this.#hostile.attack?.(context) ?? Promise.resolve([]);
    const measured = this.#waitForAcquires();
    const [faults] = await Promise.all([attack, measured]);
    this.#over.signal.throwIfAborted();
    this.faults.push(...faults);
    this.#step = "check";
    const victim = await environment.checkVictim();
    if (victim !== undefined) this.faults.push(victim);
  }

  async #waitForAcquires(): Promise<void> {
    while ((await this.#run.client.countAcquires()) < LIMITS.acquiresMin) {
      this.#over.signal.throwIfAborted();
      await sleep(POLL_MS);
    }
    this.#enough.abort();
  }

  /** Resolves at the deadline, when a server has exited, or when the attempt is over. */
  async #watchEnd(): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!this.#over.signal.aborted) {
      if (this.#run.environment.describeEnd() !== undefined) return;
      if (performance.now() > deadline) {
        this.faults.push(`${this.#step}: not completed within ${DEADLINE_MS / 1000} s`);
        return;
      }
      await sleep(POLL_MS);
    }
  }

  #createContext(): CaseContext {
    const { environment, sizes } = this.#run;
    const { redis, lockkeeper, version, keys } = environment;
    return {
      redis: redis.client,
      url: lockkeeper.url,
      version,
      sizes,
      keys,
      enough: this.#enough.signal,
      over: this.#over.signal,
      addPlanted: async (planted) => {
        for (let at = 0; at < planted.length; at += KEYS_PER_BATCH) {
          const pipeline = redis.client.pipeline();
          for (const key of planted.slice(at, at + KEYS_PER_BATCH))
            pipeline.memory("USAGE", key, "SAMPLES", 0);
          const replies = (await pipeline.exec()) ?? [];
          for (const [, bytes] of replies) this.plantedBytes += Number(bytes ?? 0);
        }
      },
      waitForLocks: (count) =>
        waitUntil(
          async () => (await environment.countLocks()) >= count,
          LIST_LOCKS_MS_MAX,
          `Fewer than ${count} locks are listed`,
          this.#over.signal,
        ),
    };
  }
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
