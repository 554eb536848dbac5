import { readFile } from "node:fs/promises";
import { type Config, getConsoleUrl, readConfig, setNodeEnv } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { setRuntime } from "./global-runtime.ts";
import type { HttpServer } from "./http/http-server.ts";
import { watchNpm } from "./npm-parent.ts";
import { formatRootKeyLine, ServerProcess, type StartedServer, stopOnSignals } from "./server-process.ts";
import type { TargetConnector } from "./targets/target-connector.ts";

const NPM_POLL_MS = 500;

const printLine = (line: string) => void process.stdout.write(`${line}\n`);
let serverProcess: ServerProcess | undefined;
const stop = stopOnSignals(() => serverProcess);

async function main(): Promise<void> {
  const config = readConfig();
  setNodeEnv(config);
  stopWhenNpmEnds(config);
  serverProcess = new ServerProcess(config);
  const { httpServer } = serverProcess;
  const started = await serverProcess.start(printLine);
  setRuntime(started.runtime);
  await servePages(config, httpServer);
  await printStartupSummary(config, started, httpServer.port);
}

async function servePages(config: Config, front: HttpServer): Promise<void> {
  const { default: next } = await import("next");
  const isDevelopment = config.mode === "development";
  const app = next({ dev: isDevelopment, hostname: config.host, port: front.port, httpServer: front.server });
  try {
    await app.prepare();
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("production build")) throw error;
    throw new StartupError("The console is not built; run `npm start`, or `npx next build` once.");
  }
  if (!isDevelopment) await assertBuiltForBasePath(config);
  front.attachPages(app.getRequestHandler());
  // Next attaches the listener of hot reloads at the first page request only; a tab that is open already needs it now.
  if (isDevelopment) void fetch(`http://${config.host}:${front.port}/`).catch(() => undefined);
}

/** @throws StartupError when the pages were built to be elsewhere */
async function assertBuiltForBasePath({ basePath }: Config): Promise<void> {
  const manifest: { basePath?: string } = JSON.parse(await readFile(".next/routes-manifest.json", "utf8"));
  if ((manifest.basePath ?? "") === basePath) return;
  throw new StartupError(
    `The console was built for LOCKKEEPER_BASE_PATH=${manifest.basePath ?? ""}; run \`npm start\`, which builds it again.`,
  );
}

async function printStartupSummary(
  config: Config,
  { embeddedRedis, runtime }: StartedServer,
  port: number,
): Promise<void> {
  const url = getConsoleUrl(config, port);
  const token = await runtime.createLoginLink();
  printLine("");
  printLine(`  Lockkeeper is ready: ${url}`);
  printLine("");
  if (token === undefined)
    printLine("  The store of sessions is away; once it is there, `npm run login` prints a link.");
  else printLine(`  Log in (once, within 10 minutes): ${url}/login#${token}`);
  for (const connector of runtime.targets.connectors)
    printLine(`  ${formatTargetLine(connector, embeddedRedis)}`);
  if (runtime.newRootKey !== undefined) printLine(formatRootKeyLine(runtime.newRootKey));
  printLine("");
}

function formatTargetLine(
  { name, settings, target, reason }: TargetConnector,
  embedded: StartedServer["embeddedRedis"],
): string {
  if (target === undefined) return `Target ${name} is down, and is tried again: ${reason}`;
  const { address, server } = target;
  if (settings.where === embedded?.url)
    return `Redis for your apps: ${settings.where} (${server}, embedded, keeps its data)`;
  if (settings.setting === "REDIS_URL") return `Redis: ${address} (${server})`;
  return `Target ${name}: ${address} (${server}${settings.policy.readOnly ? ", read-only" : ""})`;
}

function stopWhenNpmEnds(config: Config): void {
  if (!config.startedByNpm) return;
  // npm killed outright passes nothing on; without this we would stay behind and keep the port.
  const hasNpmEnded = watchNpm();
  setInterval(() => hasNpmEnded() && void stop(0), NPM_POLL_MS).unref();
}

main().catch(async (error: unknown) => {
  const line = error instanceof StartupError ? `Lockkeeper cannot start: ${error.message}` : error;
  process.stderr.write(`${line instanceof Error ? (line.stack ?? line.message) : String(line)}\n`);
  await stop(1);
});
