import type { Config } from "./config/config.ts";
import type { FrontLimits } from "./http/http-limits.ts";
import { Front } from "./http/http-server.ts";
import { createLog } from "./log.ts";
import type { EmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import { Runtime } from "./runtime.ts";
import { needsOwnRedis, startOwnRedis } from "./start-configured-redis.ts";

/** A stop that hangs is cut off after this; the promise to the terminal is two seconds. */
const STOP_MS = 1800;
/** The same where it was told to drain first: then what is under way has time for a whole verb. */
const STOP_AFTER_DRAIN_MS = 4000;

export interface Started {
  readonly embedded: EmbeddedRedis | undefined;
  readonly runtime: Runtime;
}

/** The HTTP server, its Redis and what runs behind the API, without pages: started and ended in order. */
export class Service {
  readonly front: Front;
  readonly #stops: (() => Promise<void> | void)[] = [];

  constructor(
    private readonly config: Config,
    limits?: FrontLimits,
  ) {
    this.front = new Front(config, limits);
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

  /** How long a stop may take. */
  get stopMs(): number {
    const { drainMs } = this.config;
    return drainMs === 0 ? STOP_MS : drainMs + STOP_AFTER_DRAIN_MS;
  }

  async stop(): Promise<void> {
    for (const end of this.#stops) await end();
  }
}

/** A key is shown once, whenever it is made. */
export function keyLine(made: string): string {
  return `  API key, shown only now: ${made}`;
}

interface Stoppable extends Pick<Service, "stopMs" | "stop"> {
  readonly front: Pick<Front, "hurry">;
}

/**
 * @param running what is to be stopped, once there is anything
 * @returns what ends the process in order, once; the signals that ask for it call it, too. A second signal cuts the drain short
 */
export function endOnSignals(running: () => Stoppable | undefined): (exitCode: number) => Promise<void> {
  let isStopping = false;
  const end = async (exitCode: number) => {
    const service = running();
    if (isStopping) service?.front.hurry();
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode), service?.stopMs ?? STOP_MS);
    await service?.stop();
    process.exit(exitCode);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  return end;
}
