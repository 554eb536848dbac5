import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { guardProcess, unguardProcess } from "../../support/process-guard.ts";
import { findFreePort } from "../../support/test-redis.ts";
import type { Run } from "../figure.ts";
import { EMBEDDED_FLAGS, startRedis } from "../servers.ts";
import type { HttpContender } from "./contender.ts";
import { createAcquireScript, createReleaseScript } from "./plain-scripts.ts";

const START_MS = 15_000;
const LEASE_SECONDS = 3600;
/** Clock tick of the CPU times in /proc, in µs. It is the same on every Linux that Node supports. */
const TICK_MICROS = 10_000;

/** Starts etcd, whose lock service is called through its JSON gateway. */
export async function startEtcd(run: Run, binary: string): Promise<HttpContender> {
  const dir = await createTempDir(run);
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const url = `http://127.0.0.1:${port}`;
  const peers = `http://127.0.0.1:${peerPort}`;
  const flags = {
    "data-dir": join(dir, "data"),
    "listen-client-urls": url,
    "advertise-client-urls": url,
    "listen-peer-urls": peers,
    "initial-advertise-peer-urls": peers,
    "initial-cluster": `default=${peers}`,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const child = startProgram(run, binary, args, dir);
  const lease = await waitForAnswer(child, async () => {
    const body = JSON.stringify({ TTL: LEASE_SECONDS });
    const { ID } = (await postJson(`${url}/v3/lease/grant`, body)) as { ID: string };
    return ID;
  });
  return {
    name: "etcd",
    settings: `one node with its defaults (fsync on, no authentication), /v3/lock/lock and /v3/lock/unlock, all locks on one lease of ${LEASE_SECONDS} s`,
    target: { dialect: "etcd", port, secret: lease },
    cpuMicros: () => readCpuMicros(child),
    inspector: undefined,
  };
}

/** Starts webdis, an HTTP interface to Redis. */
export async function startWebdis(run: Run, binary: string): Promise<HttpContender> {
  const dir = await createTempDir(run);
  const { url, inspector } = await startRedis(run, EMBEDDED_FLAGS);
  for (const { source } of [createAcquireScript(), createReleaseScript()])
    await inspector.script("LOAD", source);
  const port = await findFreePort();
  const config = {
    redis_host: "127.0.0.1",
    redis_port: Number(new URL(url).port),
    http_host: "127.0.0.1",
    http_port: port,
    threads: 4,
    pool_size: 20,
    daemonize: false,
    websockets: false,
    database: 0,
    verbosity: 0,
    logfile: join(dir, "webdis.log"),
  };
  const file = join(dir, "webdis.json");
  await writeFile(file, JSON.stringify(config));
  const child = startProgram(run, binary, [file], dir);
  await waitForAnswer(child, async () => await (await fetch(`http://127.0.0.1:${port}/PING`)).text());
  return {
    name: "webdis",
    settings: "4 threads, 20 connections, EVALSHA of the same two scripts as a path; no authentication",
    target: { dialect: "webdis", port, secret: "" },
    cpuMicros: () => readCpuMicros(child),
    inspector,
  };
}

async function createTempDir(run: Run): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "lockkeeper-bench-"));
  run.defer(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function startProgram(run: Run, binary: string, args: readonly string[], dir: string): ChildProcess {
  const child = spawn(binary, args, { cwd: dir, stdio: "ignore" });
  const { pid } = child;
  child.on("error", () => undefined);
  if (pid !== undefined) guardProcess(pid);
  run.defer(async () => {
    if (pid === undefined) return;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    unguardProcess(pid);
  });
  return child;
}

async function waitForAnswer<Answer>(child: ChildProcess, call: () => Promise<Answer>): Promise<Answer> {
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const answer = await call().catch(() => undefined);
    if (answer !== undefined) return answer;
    await sleep(50);
  }
  throw new Error(`${child.spawnfile} did not respond within ${START_MS / 1000} s or ended`);
}

async function postJson(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return await response.json();
}

/** Reads the CPU time of a process, in µs. NaN on systems without /proc. */
async function readCpuMicros({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The process name is in parentheses and may contain spaces. Fields 14 and 15 are user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
