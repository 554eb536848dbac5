import { type Config, setNodeEnv } from "./config/config.ts";
import { loadPages } from "./console-pages.ts";
import { setRuntime } from "./global-runtime.ts";
import { watchNpm } from "./npm-parent.ts";
import { ServerProcess, stopOnSignals } from "./server-process.ts";
import { printStartupSummary, type StartupOutput } from "./startup-output.ts";

const NPM_POLL_MS = 500;

export interface ServeOptions {
  readonly output: StartupOutput;
  /** Reads the settings and does the work required before startup. @throws StartupError */
  prepare(): Config | Promise<Config>;
  /** Prints why the server cannot start. @returns the exit code of the process */
  reportFailure(error: unknown): number;
}

/**
 * Runs the server in this process. Resolves when the server is ready. A termination signal or a failure to start stops
 * the server and ends the process.
 */
export async function serve({ output, prepare, reportFailure }: ServeOptions): Promise<void> {
  let serverProcess: ServerProcess | undefined;
  const stop = stopOnSignals(() => serverProcess);
  try {
    const config = await prepare();
    setNodeEnv(config);
    stopWhenNpmEnds(config, stop);
    serverProcess = new ServerProcess(config);
    await startWithPages(serverProcess, config, output);
  } catch (error) {
    // A stop cancels the start, which then fails.
    if (serverProcess?.isStopping !== true) await stop(reportFailure(error));
  }
}

async function startWithPages(
  serverProcess: ServerProcess,
  config: Config,
  output: StartupOutput,
): Promise<void> {
  const { httpServer } = serverProcess;
  // Loading Next blocks the event loop for about a second, which would delay health checks once the server listens.
  const isLoadedFirst = config.mode === "production" && config.port !== 0;
  const loaded = isLoadedFirst ? await loadPages(config, httpServer, config.port) : undefined;
  const started = await serverProcess.start(output);
  setRuntime(started.runtime);
  httpServer.attachPages(loaded ?? (await loadPages(config, httpServer, httpServer.port)));
  // Next attaches its hot-reload listener at the first page request. This request attaches the listener for tabs that
  // are already open.
  if (config.mode === "development")
    void fetch(`http://${config.host}:${httpServer.port}/`).catch(() => undefined);
  await printStartupSummary(output, config, started, httpServer.port);
}

function stopWhenNpmEnds(config: Config, stop: (exitCode: number) => Promise<void>): void {
  if (!config.startedByNpm) return;
  // If npm is killed with SIGKILL, it does not forward a signal. Without this check, the server would keep running and
  // occupy the port.
  const hasNpmEnded = watchNpm();
  setInterval(() => hasNpmEnded() && void stop(0), NPM_POLL_MS).unref();
}
