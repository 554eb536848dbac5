import { type Config, readConfig, setNodeEnv } from "./config/config.ts";
import { loadPages } from "./console-pages.ts";
import { StartupError } from "./errors/startup-error.ts";
import { setRuntime } from "./global-runtime.ts";
import { watchNpm } from "./npm-parent.ts";
import { ServerProcess, stopOnSignals } from "./server-process.ts";
import { printStartupSummary, type StartupOutput } from "./startup-output.ts";

const NPM_POLL_MS = 500;

const output: StartupOutput = {
  hasTerminal: process.stdout.isTTY === true,
  printLine: (line) => void process.stdout.write(`${line}\n`),
};
let serverProcess: ServerProcess | undefined;
const stop = stopOnSignals(() => serverProcess);

async function main(): Promise<void> {
  const config = readConfig();
  setNodeEnv(config);
  stopWhenNpmEnds(config);
  serverProcess = new ServerProcess(config);
  const { httpServer } = serverProcess;
  // Loading Next blocks the event loop for about a second, which would delay health checks once the server listens.
  const isLoadedFirst = config.mode === "production" && config.port !== 0;
  const loaded = isLoadedFirst ? await loadPages(config, httpServer, config.port) : undefined;
  const started = await serverProcess.start(output);
  setRuntime(started.runtime);
  httpServer.attachPages(loaded ?? (await loadPages(config, httpServer, httpServer.port)));
  // Next attaches its hot-reload listener at the first page request. Open tabs need it now.
  if (config.mode === "development")
    void fetch(`http://${config.host}:${httpServer.port}/`).catch(() => undefined);
  await printStartupSummary(output, config, started, httpServer.port);
}

function stopWhenNpmEnds(config: Config): void {
  if (!config.startedByNpm) return;
  // If npm is killed with SIGKILL, it forwards no signal. Without this check the server would keep running and hold
  // the port.
  const hasNpmEnded = watchNpm();
  setInterval(() => hasNpmEnded() && void stop(0), NPM_POLL_MS).unref();
}

main().catch(async (error: unknown) => {
  const line = error instanceof StartupError ? `Lockkeeper cannot start: ${error.message}` : error;
  process.stderr.write(`${line instanceof Error ? (line.stack ?? line.message) : String(line)}\n`);
  await stop(1);
});
