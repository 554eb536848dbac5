// Runs the services of deploy/compose/compose.sentinel.yaml and Lockkeeper in a network namespace, stops the master,
// waits for the failover, and then restarts the group. Arguments: the parsed Compose file as JSON, and an empty folder.
// The caller creates the namespaces.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { readConfig } from "../../server/config/config.ts";
import { buildServerEnvironment } from "../../server/redis/embedded/server-binary.ts";
import { ServerProcess } from "../../server/server-process.ts";
import { findTestBinary } from "../../test/support/test-redis.ts";

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly configs: readonly { readonly source: string; readonly target: string }[];
  readonly healthcheck: { readonly test: readonly string[] };
}

interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

const SENTINEL_CONFIG = fileURLToPath(new URL("../../deploy/compose/sentinel.config.json", import.meta.url));
const REDIS_SERVICE = /^(?:redis|sentinel)-\d$/;
const WAIT_MS = 60_000;
const KEY = "lock:orders:42";

const [projectFile = "", folder = ""] = process.argv.slice(2);
const { REDIS_PASSWORD = "", LOCKKEEPER_ROOT_KEY = "" } = process.env;
const project: Project = JSON.parse(readFileSync(projectFile, "utf8"));
const names = Object.keys(project.services).filter((name) => REDIS_SERVICE.test(name));
const addresses = new Map(names.map((name, index) => [name, `127.0.1.${index + 1}`]));
const programs = join(folder, "bin");
const running = new Map<string, ChildProcess>();

/** Assigns each service a loopback address and a host name, like a Compose network. */
function createNetwork(): void {
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const lines = [...addresses].map(([name, address]) => `${address} ${name}`);
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, `127.0.0.1 localhost\n${lines.join("\n")}\n`);
  execFileSync("mount", ["--bind", hosts, "/etc/hosts"]);
}

/** Creates the programs of the Redis image in a folder for PATH. redis-cli connects to the service in which it runs. */
async function createPrograms(): Promise<void> {
  const { path } = await findTestBinary();
  mkdirSync(programs);
  for (const name of ["redis-server", "redis-sentinel"]) symlinkSync(path, join(programs, name));
  const client = join(dirname(path), "redis-cli");
  writeFileSync(join(programs, "redis-cli"), `#!/bin/sh\nexec ${client} -h "$ADDRESS" "$@"\n`, {
    mode: 0o755,
  });
}

function findService(name: string): Service {
  const service = project.services[name];
  if (service === undefined) throw new Error(`compose.sentinel.yaml has no service ${name}`);
  return service;
}

/** Replaces the paths /data and /etc with folders that belong to this service. */
function relocate(name: string, text: string): string {
  return text.replaceAll("/data", join(folder, name, "data")).replaceAll("/etc", join(folder, name, "etc"));
}

async function spawnInService(name: string, command: readonly string[]): Promise<ChildProcess> {
  const [program = "", ...args] = command.map((text) => relocate(name, text));
  const env: Record<string, string | undefined> = {
    ...buildServerEnvironment(await findTestBinary()),
    ...findService(name).environment,
    ADDRESS: addresses.get(name),
    PATH: `${programs}:/usr/bin:/bin`,
  };
  return spawn(program, args, {
    cwd: relocate(name, "/data"),
    env: env as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Starts a service and waits until its health check passes. */
async function startService(name: string): Promise<void> {
  const service = findService(name);
  for (const path of ["/etc", "/data"]) mkdirSync(relocate(name, path), { recursive: true });
  for (const { source, target } of service.configs) {
    const content = relocate(name, project.configs[source]?.content ?? "");
    writeFileSync(relocate(name, target), `${content}\nbind ${addresses.get(name)}\n`);
  }
  running.set(name, await spawnInService(name, service.command));
  const [kind, ...test] = service.healthcheck.test;
  const command = kind === "CMD-SHELL" ? ["sh", "-c", ...test] : test;
  await until(`the health check of ${name}`, async () => {
    const child = await spawnInService(name, command);
    const [code] = await once(child, "close");
    return code === 0 ? true : undefined;
  });
}

async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await read().catch(() => undefined);
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${WAIT_MS / 1000} s`);
    await sleep(50);
  }
}

function connect(name: string, port: number): Redis {
  const client = new Redis({ host: name, port, password: REDIS_PASSWORD });
  client.on("error", () => undefined);
  return client;
}

async function readMaster(sentinel: Redis): Promise<Map<string, string>> {
  const reply = await sentinel.call("SENTINEL", "MASTER", "locks");
  const words = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : [])));
}

async function request(method: string, path: string): Promise<Response> {
  return await fetch(`http://127.0.0.1:3000/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${LOCKKEEPER_ROOT_KEY}`, "content-type": "application/json" },
    ...(method === "POST" ? { body: JSON.stringify({ leaseMs: 600_000 }) } : {}),
  });
}

async function startLockkeeper(): Promise<void> {
  const server = new ServerProcess(
    readConfig({ LOCKKEEPER_CONFIG: SENTINEL_CONFIG, REDIS_PASSWORD, LOCKKEEPER_ROOT_KEY }, []),
  );
  await server.start({ hasTerminal: false, printLine: () => undefined });
  // Readiness includes the pages of the console, which is not built here.
  server.httpServer.attachPages(() => Promise.resolve());
  await until("readiness", async () => ((await fetch("http://127.0.0.1:3000/readyz")).ok ? true : undefined));
}

/** Stops the master and returns how long the failover took, in milliseconds. */
async function proveFailover(sentinel: Redis): Promise<number> {
  const acquired = await request("POST", `/locks/${encodeURIComponent(KEY)}/acquire`);
  if (acquired.status !== 201)
    throw new Error(`acquire returned ${acquired.status}: ${await acquired.text()}`);
  const began = performance.now();
  running.get("redis-1")?.kill("SIGKILL");
  const next = await until("the failover", async () => {
    const name = (await readMaster(sentinel)).get("ip");
    return name === "redis-1" ? undefined : name;
  });
  if (!/^redis-[23]$/.test(next)) throw new Error(`the new master is ${next}`);
  await until("reading the lock from the new master", async () =>
    (await request("GET", `/locks/${encodeURIComponent(KEY)}`)).ok ? true : undefined,
  );
  return performance.now() - began;
}

async function proveReturn(): Promise<void> {
  await startService("redis-1");
  const client = connect("redis-1", 6379);
  await until("the return of redis-1 as a replica", async () =>
    (await client.info("replication")).includes("role:slave") ? true : undefined,
  );
  client.disconnect();
}

async function startGroup(): Promise<void> {
  const isSentinel = (name: string) => name.startsWith("sentinel");
  await Promise.all(names.filter((name) => !isSentinel(name)).map(startService));
  await Promise.all(names.filter(isSentinel).map(startService));
}

/** Restarts all Redis servers and sentinels, and checks that the master stays the master and keeps the lock. */
async function proveRestart(sentinel: Redis): Promise<void> {
  const readRuns = async () => {
    const master = await readMaster(sentinel);
    return { name: master.get("ip") ?? "", epoch: master.get("config-epoch") };
  };
  const before = await readRuns();
  const children = [...running.values()].filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  );
  const ended = children.map((child) => once(child, "close"));
  for (const child of children) child.kill();
  await Promise.all(ended);
  await startGroup();
  const master = connect(before.name, 6379);
  await until("the restart of the master with its replicas", async () =>
    /role:master[\s\S]*connected_slaves:2/.test(await master.info("replication")) ? true : undefined,
  );
  const hasLock = (await master.exists(KEY)) === 1;
  master.disconnect();
  const after = await until("the answer of a sentinel", readRuns);
  if (!hasLock || JSON.stringify(after) !== JSON.stringify(before))
    throw new Error(`after a restart: ${JSON.stringify({ before, after, hasLock })}`);
}

await createPrograms();
createNetwork();
await startGroup();
const sentinel = connect("sentinel-1", 26_379);
await startLockkeeper();
const ms = await proveFailover(sentinel);
await proveReturn();
await proveRestart(sentinel);
console.log(`failover after ${(ms / 1000).toFixed(1)} s`);
process.exit(0);
