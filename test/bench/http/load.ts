import { setTimeout as sleep } from "node:timers/promises";
import { sendRequest, startChild } from "../child.ts";
import type { Run } from "../figure.ts";
import { readRedisCpuMicros } from "../info.ts";
import type { HttpContender } from "./contender.ts";
import type { LoadRequest, LoadResponse } from "./load-messages.ts";

/** The result of one round of one contender. CPU times are totals in µs. */
export interface LoadRound {
  readonly pairs: number;
  readonly seconds: number;
  readonly serverMicros: number;
  readonly generatorMicros: number;
  /** CPU time of Redis; NaN for a contender without Redis. */
  readonly redisMicros: number;
}

/** Time in ms beyond the duration of a round after which the load generator counts as hung. */
const SLACK_MS = 20_000;

/** Controls the child process that generates load. */
export class Load {
  #rounds = 0;

  private constructor(private readonly send: (words: LoadRequest) => Promise<LoadResponse>) {}

  static async start(run: Run): Promise<Load> {
    const child = await startChild(run, "load.ts", []);
    return new Load((words) => sendRequest<LoadResponse>(child, words));
  }

  /**
   * Measures a round. The connections are opened before the measurement starts and closed after it, even if it fails.
   */
  async measure(contender: HttpContender, connections: number, forMs: number): Promise<LoadRound> {
    const prefix = `lock:bench:${contender.name}:${this.#rounds++}`;
    try {
      await this.#sendMessage({ do: "open", target: contender.target, connections });
      const before = await readCpuUse(contender);
      const ran = await this.#sendMessage({ do: "run", forMs, prefix }, forMs);
      const after = await readCpuUse(contender);
      if (ran.is !== "ran") throw new Error("No load was generated");
      return {
        pairs: ran.pairs,
        seconds: ran.seconds,
        generatorMicros: ran.cpuMicros,
        serverMicros: after.server - before.server,
        redisMicros: after.redis - before.redis,
      };
    } finally {
      await this.#sendMessage({ do: "close" });
    }
  }

  async #sendMessage(words: LoadRequest, forMs = 0): Promise<LoadResponse> {
    const says = await withTimeout(forMs + SLACK_MS, this.send(words));
    if (says.is === "failed") throw new Error(says.why);
    return says;
  }
}

async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`No response within ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

async function readCpuUse({ cpuMicros, inspector }: HttpContender) {
  const redis = inspector === undefined ? Number.NaN : await readRedisCpuMicros(inspector);
  return { server: await cpuMicros(), redis };
}
