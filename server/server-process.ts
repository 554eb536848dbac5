import type { Config } from "./config/config.ts";
import type { HttpLimits } from "./http/http-limits.ts";
import { HttpServer } from "./http/http-server.ts";
import { createLogger } from "./log.ts";
import { Runtime } from "./runtime.ts";
import { needsEmbeddedRedis, startConfiguredRedis } from "./start-configured-redis.ts";
import { printRootKey, type StartedServer, type StartupOutput } from "./startup-output.ts";

/** A stop that hangs is cut off after this; the promise to the terminal is two seconds. */
const STOP_MS = 1800;
/** The same where it was told to drain first: then what is under way has time for a whole verb. */
const STOP_AFTER_DRAIN_MS = 4000;

/** The HTTP server, its Redis and what runs behind the API, without pages: started and ended in order. */
export class ServerProcess {
  readonly httpServer: HttpServer;
  readonly #stopCallbacks: (() => Promise<void> | void)[] = [];

  constructor(
    private readonly config: Config,
    limits?: HttpLimits,
  ) {
    this.httpServer = new HttpServer(config, limits);
  }

  /** @throws StartupError; what was started until then is ended by `stop` */
  async start(output: StartupOutput): Promise<StartedServer> {
    const { config, httpServer } = this;
    await httpServer.listen();
    this.#stopCallbacks.push(() => httpServer.stop());
    const log = createLogger(config);
    const embedded = needsEmbeddedRedis(config)
      ? await startConfiguredRedis(config, { onProgress: output.printLine, log })
      : undefined;
    this.#stopCallbacks.push(async () => await embedded?.stop());
    const runtime = await Runtime.start({
      config,
      embeddedRedis: embedded,
      log,
      onRootKeyCreated: (rootKey) => void printRootKey(output, config, rootKey),
    });
    this.#stopCallbacks.splice(1, 0, () => runtime.stop());
    httpServer.attachRuntime(runtime);
    return { embeddedRedis: embedded, runtime };
  }

  /** How long a stop may take. */
  get stopMs(): number {
    const { drainMs } = this.config;
    return drainMs === 0 ? STOP_MS : drainMs + STOP_AFTER_DRAIN_MS;
  }

  async stop(): Promise<void> {
    for (const end of this.#stopCallbacks) await end();
  }
}

interface Stoppable extends Pick<ServerProcess, "stopMs" | "stop"> {
  readonly httpServer: Pick<HttpServer, "skipDrain">;
}

/**
 * @param running what is to be stopped, once there is anything
 * @returns what ends the process in order, once; the signals that ask for it call it, too. A second signal cuts the drain short
 */
export function stopOnSignals(running: () => Stoppable | undefined): (exitCode: number) => Promise<void> {
  let isStopping = false;
  const end = async (exitCode: number) => {
    const service = running();
    if (isStopping) service?.httpServer.skipDrain();
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode), service?.stopMs ?? STOP_MS);
    await service?.stop();
    process.exit(exitCode);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
  return end;
}
