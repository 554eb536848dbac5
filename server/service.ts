import type { Config } from "./config.ts";
import { Front } from "./front.ts";
import { createLog } from "./log.ts";
import type { EmbeddedRedis } from "./redis/embedded.ts";
import { Runtime } from "./runtime.ts";
import { needsOwnRedis, startOwnRedis } from "./targets/own-redis.ts";

/** A stop that hangs is cut off after this; the promise to the terminal is two seconds. */
const STOP_MS = 1800;

export interface Started {
  readonly embedded: EmbeddedRedis | undefined;
  readonly runtime: Runtime;
}

/** The HTTP server, its Redis and what runs behind the API, without pages: started and ended in order. */
export class Service {
  readonly front: Front;
  readonly #stops: (() => Promise<void> | void)[] = [];

  constructor(private readonly config: Config) {
    this.front = new Front(config);
  }

  /** @throws StartupError; what was started until then is ended by `stop` */
  async start(say: (line: string) => void): Promise<Started> {
    const { config, front } = this;
    await front.listen();
    this.#stops.push(() => front.stop());
    const embedded = needsOwnRedis(config) ? await startOwnRedis(config, say) : undefined;
    this.#stops.push(async () => await embedded?.stop());
    const runtime = await Runtime.start({
      config,
      ownUrl: embedded?.url,
      port: () => front.port,
      log: createLog(config),
      onLateKey: (made) => say(keyLine(made)),
    });
    this.#stops.splice(1, 0, () => runtime.stop());
    front.serve(runtime);
    return { embedded, runtime };
  }

  async stop(): Promise<void> {
    for (const end of this.#stops) await end();
  }
}

/** A key is shown once, whenever it is made. */
export function keyLine(made: string): string {
  return `  API key, shown only now: ${made}`;
}

/** @returns what ends the process in order, once; the signals that ask for it call it, too */
export function endOnSignals(stop: () => Promise<void>): (exitCode: number) => Promise<void> {
  let isStopping = false;
  const end = async (exitCode: number) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode), STOP_MS);
    await stop();
    process.exit(exitCode);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  return end;
}
