import { readFile } from "node:fs/promises";
import { type Config, consoleUrl, readConfig, settleNodeEnv } from "./config/config.ts";
import { StartupError } from "./errors/startup-error.ts";
import { setRuntime } from "./global-runtime.ts";
import type { Front } from "./http/http-server.ts";
import { watchNpm } from "./npm-parent.ts";
import { endOnSignals, keyLine, Service, type Started } from "./server-process.ts";
import type { TargetKeeper } from "./targets/target-connector.ts";

const PARENT_LOOK_MS = 500;

const say = (line: string) => void process.stdout.write(`${line}\n`);
let service: Service | undefined;
const stop = endOnSignals(() => service);

async function main(): Promise<void> {
  const config = readConfig();
  settleNodeEnv(config);
  stopWithNpm(config);
  service = new Service(config);
  const { front } = service;
  const started = await service.start(say);
  setRuntime(started.runtime);
  await servePages(config, front);
  await announce(config, started, front.port);
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
  if (!isDevelopment) await assertBuiltFor(config);
  front.servePages(app.getRequestHandler());
  // Next attaches the listener of hot reloads at the first page request only; a tab that is open already needs it now.
  if (isDevelopment) void fetch(`http://${config.host}:${front.port}/`).catch(() => undefined);
}

/** @throws StartupError when the pages were built to be elsewhere */
async function assertBuiltFor({ basePath }: Config): Promise<void> {
  const manifest: { basePath?: string } = JSON.parse(await readFile(".next/routes-manifest.json", "utf8"));
  if ((manifest.basePath ?? "") === basePath) return;
  throw new StartupError(
    `The console was built for LOCKKEEPER_BASE_PATH=${manifest.basePath ?? ""}; run \`npm start\`, which builds it again.`,
  );
}

async function announce(config: Config, { embedded, runtime }: Started, port: number): Promise<void> {
  const url = consoleUrl(config, port);
  const token = await runtime.makeLink();
  say("");
  say(`  Lockkeeper is ready: ${url}`);
  say("");
  if (token === undefined)
    say("  The store of sessions is away; once it is there, `npm run login` prints a link.");
  else say(`  Log in (once, within 10 minutes): ${url}/login#${token}`);
  for (const keeper of runtime.targets.keepers) say(`  ${lineOf(keeper, embedded)}`);
  if (runtime.newRootKey !== undefined) say(keyLine(runtime.newRootKey));
  say("");
}

function lineOf({ name, settings, target, reason }: TargetKeeper, embedded: Started["embedded"]): string {
  if (target === undefined) return `Target ${name} is down, and is tried again: ${reason}`;
  const { address, server } = target;
  if (settings.where === embedded?.url)
    return `Redis for your apps: ${settings.where} (${server}, embedded, keeps its data)`;
  if (settings.setting === "REDIS_URL") return `Redis: ${address} (${server})`;
  return `Target ${name}: ${address} (${server}${settings.policy.readOnly ? ", read-only" : ""})`;
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
