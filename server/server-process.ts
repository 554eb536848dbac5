import type { Config } from "./config/config.ts";
import type { HttpLimits } from "./http/http-limits.ts";
import { HttpServer } from "./http/http-server.ts";
import { createLogger } from "./log.ts";
import { Runtime } from "./runtime.ts";
import { needsEmbeddedRedis, startConfiguredRedis } from "./start-configured-redis.ts";
import { printRootKey, type StartedServer, type StartupOutput } from "./startup-output.ts";

/** Time limit of a stop without a drain, in ms. The process must exit within two seconds of Ctrl-C. */
const STOP_MS = 1800;
/** Time limit of a stop after a drain, in ms. Requests in progress can complete their verbs within this time. */
const STOP_AFTER_DRAIN_MS = 4000;

/**
 * Starts and stops the HTTP server, the embedded Redis and the application. The console pages are loaded separately.
 */
export class ServerProcess {
  readonly httpServer: HttpServer;
  readonly #stopCallbacks: (() => Promise<void> | void)[] = [];
  readonly #stopping = new AbortController();

  constructor(
    private readonly config: Config,
    limits?: HttpLimits,
  ) {
    this.httpServer = new HttpServer(config, limits);
  }

  /**
   * Starts the HTTP server, then the embedded Redis if it is needed, then the application.
   *
   * @throws StartupError if a component cannot be started; call `stop` to stop the components that were already
   *   started. An AbortError if `stop` was called during the start
   */
  async start(output: StartupOutput): Promise<StartedServer> {
    const { config, httpServer } = this;
    const { signal } = this.#stopping;
    await httpServer.listen();
    if (signal.aborted) await httpServer.stop();
    signal.throwIfAborted();
    this.#stopCallbacks.push(() => httpServer.stop());
    const log = createLogger(config);
    const starting = needsEmbeddedRedis(config)
      ? startConfiguredRedis(config, { onProgress: output.printLine, log, signal })
      : undefined;
    // A stop during the start waits for the start, which is canceled, so that no Redis server is left running.
    this.#stopCallbacks.push(async () => await (await starting?.catch(() => undefined))?.stop());
    const embedded = await starting;
    const runtime = await Runtime.start({
      config,
      embeddedRedis: embedded,
      log,
      onRootKeyCreated: (rootKey) => printRootKey(output, config, rootKey),
    });
    this.#stopCallbacks.splice(1, 0, () => runtime.stop());
    httpServer.attachRuntime(runtime);
    return { embeddedRedis: embedded, runtime };
  }

  /** Time limit for stopping the process, in milliseconds. */
  get stopMs(): number {
    const { drainMs } = this.config;
    return drainMs === 0 ? STOP_MS : drainMs + STOP_AFTER_DRAIN_MS;
  }

  /** Whether `stop` has been called. */
  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const end of this.#stopCallbacks) await end();
  }
}

interface Stoppable extends Pick<ServerProcess, "stopMs" | "stop"> {
  readonly httpServer: Pick<HttpServer, "skipDrain">;
}

/**
 * Stops the process on termination signals. A second signal ends the drain.
 *
 * @param running returns the process to stop, or `undefined` before the process is created
 * @returns a function that stops the process gracefully; repeated calls end the drain
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
