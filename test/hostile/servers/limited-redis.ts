import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { KEYSPACE_EVENTS } from "../../../server/redis/embedded/embedded-server.ts";
import { buildServerEnvironment } from "../../../server/redis/embedded/server-binary.ts";
import { guardProcess, unguardProcess } from "../../support/process-guard.ts";
import { findFreePort, findTestBinary } from "../../support/test-redis.ts";

const START_MS_MAX = 10_000;
const POLL_MS = 20;

/** A Redis server with an address space that `ulimit -v` limits. */
export interface LimitedRedis {
  readonly url: string;
  readonly pid: number;
  /** Connection that plants and inspects data. Its commands fail once the server has exited. */
  readonly client: Redis;
  readonly hasEnded: () => boolean;
  stop(): Promise<void>;
}

/**
 * Starts Redis from a shell that limits the address space. Redis aborts when an allocation exceeds the limit.
 * Persistence is off, so Redis never forks.
 */
export async function startLimitedRedis(addressSpaceBytes: number): Promise<LimitedRedis> {
  const binary = await findTestBinary();
  const port = await findFreePort();
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-hostile-"));
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      `ulimit -v ${Math.ceil(addressSpaceBytes / 1024)} && exec "$0" "$@"`,
      binary.path,
      ...options,
      "--notify-keyspace-events",
      KEYSPACE_EVENTS,
    ],
    { cwd: dir, env: buildServerEnvironment(binary), stdio: "ignore" },
  );
  const { pid } = child;
  if (pid === undefined) throw new Error("The shell that starts Redis could not be run");
  guardProcess(pid);
  const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, retryStrategy: () => POLL_MS });
  client.on("error", () => undefined);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitForReply(client, hasEnded);
  // From here on, a lost connection means that Redis has exited or has disconnected the client.
  client.options.retryStrategy = () => (hasEnded() ? null : POLL_MS);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid,
    client,
    hasEnded,
    async stop() {
      client.disconnect();
      await killProcess(child);
      unguardProcess(pid);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Kills a child process and waits until it has exited. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function waitForReply(client: Redis, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + START_MS_MAX;
  while (client.status !== "ready") {
    if (hasEnded()) throw new Error("Redis ended at its start; the address space limit may be too small");
    if (performance.now() > deadline) throw new Error(`Redis did not start within ${START_MS_MAX} ms`);
    await sleep(POLL_MS);
  }
}
