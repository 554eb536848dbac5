import { setRuntime } from "./accessor.ts";
import { type Config, consoleUrl, readConfig, settleNodeEnv } from "./config.ts";
import type { Front } from "./front.ts";
import { watchNpm } from "./npm-parent.ts";
import type { Runtime } from "./runtime.ts";
import { endOnSignals, Service } from "./service.ts";
import { StartupError } from "./startup-error.ts";
import type { TargetRedis } from "./targets/target-redis.ts";

const PARENT_LOOK_MS = 500;

const say = (line: string) => void process.stdout.write(`${line}\n`);
let service: Service | undefined;
const stop = endOnSignals(async () => await service?.stop());

async function main(): Promise<void> {
  const config = readConfig();
  settleNodeEnv(config);
  stopWithNpm(config);
  service = new Service(config);
  const { front } = service;
  const { redis, runtime } = await service.start(say);
  setRuntime(runtime);
  await servePages(config, front);
  await announce(config, redis, runtime, front.port);
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

async function announce(config: Config, redis: TargetRedis, runtime: Runtime, port: number): Promise<void> {
  const url = consoleUrl(config, port);
  const link = `${url}/login#${await runtime.makeLink()}`;
  say("");
  say(`  Lockkeeper is ready: ${url}`);
  say("");
  say(`  Log in (once, within 10 minutes): ${link}`);
  if (redis.embedded !== undefined)
    say(`  Redis for your apps: ${redis.embedded.url} (${redis.server.name}, embedded, keeps its data)`);
  else say(`  Redis: ${redis.address.label} (${redis.server.name})`);
  if (runtime.newRootKey !== undefined) say(`  API key, shown only now: ${runtime.newRootKey}`);
  say("");
}

function stopWithNpm(config: Config): void {
  if (!config.startedByNpm) return;
  // npm killed outright passes nothing on; without this we would stay behind and keep the port.
  const hasNpmEnded = watchNpm();
  setInterval(() => hasNpmEnded() && void stop(0), PARENT_LOOK_MS).unref();
}

main().catch(async (error: unknown) => {
  const line = error instanceof StartupError ? `Lockkeeper cannot start: ${error.message}` : error;
  process.stderr.write(`${line instanceof Error ? (line.stack ?? line.message) : String(line)}\n`);
  await stop(1);
});
