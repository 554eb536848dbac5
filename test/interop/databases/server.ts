import type { ChildProcess, SpawnOptions } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addCleanUp, kill, start } from "../children.ts";

const READY_MS = 30_000;
const END_MS = 2000;

/** A temporary database server that listens on a Unix socket. */
export interface Database {
  stop(): Promise<void>;
}

/**
 * Creates a folder for the data and the socket of a server. Its path is short, because the length of socket paths is
 * limited.
 */
export async function createTempDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-db-")));
  addCleanUp(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Signal that makes the server shut down cleanly without waiting for clients. */
  readonly endWith: NodeJS.Signals;
  /** Resolves if the server accepts connections, otherwise rejects. */
  readonly checkReady: () => Promise<unknown>;
}

/**
 * Starts a server and waits until it accepts connections.
 *
 * @throws Error with the output of the server if it does not start
 */
export async function launchDatabase({
  command,
  args,
  options,
  endWith,
  checkReady: knock,
}: Launch): Promise<Database> {
  const child = start(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000);
    });
  }
  let fault: string | undefined;
  child.once("error", (error) => {
    fault = error.message;
  });
  child.once("exit", (code, by) => {
    fault = `ended (${by ?? code})`;
  });
  const stop = addCleanUp(() => end(child, endWith));
  const until = performance.now() + READY_MS;
  while (fault === undefined && performance.now() < until) {
    const isUp = await knock().then(
      () => true,
      () => false,
    );
    if (isUp) return { stop };
    await sleep(50);
  }
  await stop();
  const last = said.trim().split("\n").at(-1) ?? "";
  throw new Error(`${command} ${fault ?? `took no connection within ${READY_MS} ms`}: ${last}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await Promise.race([ended, sleep(END_MS, undefined, { ref: false })]);
  kill(child);
}
