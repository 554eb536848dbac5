import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, getConsoleUrl } from "./config/config.ts";
import { formatLoginCommand } from "./config/launcher-commands.ts";
import type { AppConnection, EmbeddedRedis } from "./redis/embedded/embedded-redis.ts";
import type { Runtime } from "./runtime.ts";
import type { TargetConnector } from "./targets/target-connector.ts";

/** Maximum time, in ms, to wait for the first scan of a target before the server is reported as ready. */
const FIRST_SCAN_MS = 5000;

export interface StartedServer {
  readonly embeddedRedis: EmbeddedRedis | undefined;
  readonly runtime: Runtime;
}

/**
 * The output of the server at startup. Without a terminal, standard output usually ends up in a log, so no secrets are
 * printed.
 */
export interface StartupOutput {
  readonly hasTerminal: boolean;
  printLine(line: string): void;
}

/** Prints the URL of the console, how to log in, and how applications connect. */
export async function printStartupSummary(
  output: StartupOutput,
  config: Config,
  { embeddedRedis, runtime }: StartedServer,
  port: number,
): Promise<void> {
  const url = getConsoleUrl(config, port);
  await waitForFirstScan(runtime);
  output.printLine("");
  output.printLine(`  Lockkeeper is ready: ${url}`);
  output.printLine("");
  const login = formatLoginCommand(config, port);
  const token = output.hasTerminal ? await runtime.createLoginLink() : undefined;
  if (token !== undefined) output.printLine(`  Log in (once, within 10 minutes): ${url}/login#${token}`);
  else if (output.hasTerminal)
    output.printLine(`  The home store is not connected. Once it is, log in: ${login}`);
  else output.printLine(`  Log in: ${login}`);
  for (const connector of runtime.targets.connectors)
    output.printLine(`  ${formatTargetLine(connector, embeddedRedis)}`);
  if (isRoot())
    output.printLine(
      "  Warning: Lockkeeper is running as root. Run it as an unprivileged user to limit the impact of a vulnerability.",
    );
  output.printLine("");
}

/**
 * Waits for the first scan, so that `/readyz` agrees with the output line that reports the server as ready. Does not
 * wait for a target that could not be opened. The watcher reports a target that was just opened as down until it has
 * connected.
 */
async function waitForFirstScan(runtime: Pick<Runtime, "readiness" | "targets">): Promise<void> {
  const deadline = performance.now() + FIRST_SCAN_MS;
  const isOpen = runtime.targets.connectors.some(({ target }) => target !== undefined);
  while (isOpen && !runtime.readiness.ready && performance.now() < deadline) await sleep(10);
}

/**
 * Prints the root key to the terminal. If there is no terminal, writes the key to a file that only the current account
 * can read.
 */
export async function printRootKey(
  { hasTerminal, printLine }: StartupOutput,
  { dataDir }: Pick<Config, "dataDir">,
  rootKey: string,
): Promise<void> {
  if (hasTerminal) return printLine(`  API key, shown only now: ${rootKey}`);
  const file = join(dataDir, "root-key");
  try {
    await mkdir(dataDir, { recursive: true });
    // Removes the file of an earlier home store, whose key is no longer valid.
    await rm(file, { force: true });
    await writeFile(file, `${rootKey}\n`, { mode: 0o600, flag: "wx" });
    printLine(`  API key, stored only in this file: ${formatPath(file)}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    printLine(
      `  The API key could not be written to ${formatPath(file)} (${code}). Set LOCKKEEPER_ROOT_KEY and restart.`,
    );
  }
}

function formatTargetLine(
  { name, settings, target, reason }: TargetConnector,
  embedded: StartedServer["embeddedRedis"],
): string {
  if (target === undefined) return `Target ${name} is down, retrying: ${reason}`;
  const { address, server } = target;
  if (embedded !== undefined && settings.where === embedded.url)
    return `Redis for your apps: ${formatAppConnection(embedded.app)} (${server}, embedded, keeps its data)`;
  const facts = `${address} (${server}${settings.policy.readOnly ? ", read-only" : ""})`;
  if (settings.setting === "REDIS_URL") return `Redis: ${facts}`;
  return `Target ${name}: ${facts}`;
}

function formatAppConnection({ host, port, file }: AppConnection): string {
  return `${host}:${port}, REDIS_URL in ${formatPath(file)}`;
}

/** Formats a path relative to the working directory if the path is below that directory. */
function formatPath(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith("..") ? file : path;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
