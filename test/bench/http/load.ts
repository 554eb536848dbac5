import { ask, startChild } from "../child.ts";
import type { Run } from "../figure.ts";
import { redisCpuMicros } from "../info.ts";
import type { HttpContender } from "./contender.ts";
import type { LoadAsk, LoadSays } from "./load-words.ts";

/** What one round of one contender came to. CPU in µs. */
export interface LoadRound {
  readonly pairs: number;
  readonly seconds: number;
  readonly serverMicros: number;
  readonly generatorMicros: number;
  /** NaN where there is no Redis. */
  readonly redisMicros: number;
}

/** The process that asks, and the books about it. */
export class Load {
  #rounds = 0;

  private constructor(private readonly say: (words: LoadAsk) => Promise<LoadSays>) {}

  static async start(run: Run): Promise<Load> {
    const child = await startChild(run, "load.ts", []);
    return new Load((words) => ask<LoadSays>(child, words));
  }

  /** Connections are opened before the clock starts, and closed after it has stopped. */
  async measure(contender: HttpContender, connections: number, forMs: number): Promise<LoadRound> {
    const { name, target } = contender;
    await this.#tell(name, { do: "open", target, connections });
    const before = await usedBy(contender);
    const prefix = `lock:bench:${name}:${this.#rounds++}`;
    const ran = await this.#tell(name, { do: "run", forMs, prefix });
    const after = await usedBy(contender);
    await this.#tell(name, { do: "close" });
    if (ran.is !== "ran") throw new Error("The load was not made");
    return {
      pairs: ran.pairs,
      seconds: ran.seconds,
      generatorMicros: ran.cpuMicros,
      serverMicros: after.server - before.server,
      redisMicros: after.redis - before.redis,
    };
  }

  async #tell(name: string, words: LoadAsk): Promise<LoadSays> {
    const says = await this.say(words);
    if (says.is === "failed") throw new Error(`${name} under load: ${says.why}`);
    return says;
  }
}

async function usedBy({ cpuMicros, look }: HttpContender) {
  const redis = look === undefined ? Number.NaN : await redisCpuMicros(look);
  return { server: await cpuMicros(), redis };
}
