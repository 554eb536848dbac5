import { setRuntime } from "./accessor.ts";
import { type Config, consoleUrl, readConfig, settleNodeEnv } from "./config.ts";
import { Front } from "./front.ts";
import { createLog } from "./log.ts";
import { watchNpm } from "./npm-parent.ts";
import { Runtime } from "./runtime.ts";
import { StartupError } from "./startup-error.ts";
import { openTarget, type Target } from "./target.ts";

/** A stop that hangs is cut off after this; the promise to the terminal is two seconds. */
const STOP_MS = 1800;
const PARENT_LOOK_MS = 500;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const stops: (() => Promise<void> | void)[] = [];
let isStopping = false;

async function main(): Promise<void> {
  const config = readConfig();
  settleNodeEnv(config);
  stopOnSignals(config);
  const front = new Front(config);
  await front.listen();
  stops.push(() => front.stop());
  const target = await openTarget(config, say);
  const stopRedis = async () => await target.embedded?.stop();
  stops.push(stopRedis);
  const runtime = await Runtime.start(config, target, () => front.port, createLog(config));
  stops.splice(1, 0, () => runtime.stop());
  setRuntime(runtime);
  front.serve(runtime);
  await servePages(config, front);
  await announce(config, target, runtime, front.port);
}

async function servePages(config: Config, front: Front): Promise<void> {
  const { default: next } = await import("next");
  const isDevelopment = config.mode === "development";
  const app = next({ dev: isDevelopment, hostname: config.host, port: front.port, httpServer: front.server });
  try {
    await app.prepare();
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("production build")) throw error;
    throw new StartupError("The console is not built; run `npm start`, or `npx next build` once.");
  }
  front.servePages(app.getRequestHandler());
  // Next attaches the listener of hot reloads at the first page request only; a tab that is open already needs it now.
  if (isDevelopment) void fetch(`http://${config.host}:${front.port}/`).catch(() => undefined);
}

async function announce(config: Config, target: Target, runtime: Runtime, port: number): Promise<void> {
  const url = consoleUrl(config, port);
  const link = `${url}/login#${await runtime.makeLink()}`;
  say("");
  say(`  Lockkeeper is ready: ${url}`);
  say("");
  say(`  Log in (once, within 10 minutes): ${link}`);
  if (target.embedded !== undefined)
    say(`  Redis for your apps: ${target.embedded.url} (${target.server.name}, embedded, keeps its data)`);
  else say(`  Redis: ${target.address.label} (${target.server.name})`);
  if (runtime.newRootKey !== undefined) say(`  API key, shown only now: ${runtime.newRootKey}`);
  say("");
}

function stopOnSignals(config: Config): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
  if (!config.startedByNpm) return;
  // npm killed outright passes nothing on; without this we would stay behind and keep the port.
  const hasNpmEnded = watchNpm();
  setInterval(() => hasNpmEnded() && void stop(0), PARENT_LOOK_MS).unref();
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(exitCode), STOP_MS);
  for (const end of stops) await end();
  process.exit(exitCode);
}

main().catch(async (error: unknown) => {
  const line = error instanceof StartupError ? `Lockkeeper cannot start: ${error.message}` : error;
  process.stderr.write(`${line instanceof Error ? (line.stack ?? line.message) : String(line)}\n`);
  await stop(1);
});
