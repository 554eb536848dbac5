import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { type LaunchedServer, launchServer } from "../../server/redis/embedded/server-launch.ts";
import { sendSignal, waitUntilGone } from "../../server/redis/embedded/server-process.ts";
import { guardProcess, unguardProcess } from "./process-guard.ts";
import { findFreePort, findTestBinary } from "./test-redis.ts";

const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 2000;
/**
 * Options that shorten the timings of Sentinel. They exist since Redis 7, and failovers take some seconds longer in
 * older versions. If a master is down, Sentinel requests INFO from its replicas only once per second, and ignores
 * replicas that have not replied for five ping periods. Five ping periods must therefore exceed one second.
 */
const FAST_TIMINGS = [
  "info-period",
  "200",
  "ask-period",
  "100",
  "publish-period",
  "200",
  "ping-period",
  "250",
];

/** A master that Sentinel monitors. */
interface MonitoredMaster {
  readonly name: string;
  readonly port: number;
  readonly password: string | undefined;
  /** Number of sentinels that must agree that the master is down. */
  readonly quorum: number;
}

/** One process of Redis Sentinel. */
export class TestSentinelProcess {
  constructor(
    readonly port: number,
    private readonly server: LaunchedServer,
    private readonly redis: Redis,
    private readonly dir: string,
  ) {}

  /** Returns the port of the master with the given name, or `undefined` if Sentinel does not reply. */
  async findMasterPort(name: string): Promise<number | undefined> {
    const place = await this.redis.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name).catch(() => undefined);
    return Array.isArray(place) ? Number(place[1]) : undefined;
  }

  async readMasterFacts(name: string): Promise<Map<string, string>> {
    const told = await this.redis.call("SENTINEL", "MASTER", name);
    const words = Array.isArray(told) ? told.map(String) : [];
    const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : []));
    return new Map(pairs);
  }

  /** Promotes a replica. Rejects while a failover is in progress or no suitable replica is known. */
  async failover(name: string): Promise<void> {
    await this.redis.call("SENTINEL", "FAILOVER", name);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    sendSignal(this.server.pid, "SIGKILL");
    await waitUntilGone(this.server.pid, 2000);
    unguardProcess(this.server.pid);
    await rm(this.dir, { recursive: true, force: true });
  }
}

/**
 * Starts a sentinel.
 * @param ownPassword password of the sentinel itself
 */
export async function startSentinel(
  monitor: MonitoredMaster,
  ownPassword: string | undefined,
): Promise<TestSentinelProcess> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-sentinel-")));
  const port = await findFreePort();
  const lines = buildConfigLines(port, monitor, ownPassword);
  await writeFile(join(dir, "sentinel.conf"), `${lines.join("\n")}\n`);
  const logFile = join(dir, "sentinel.log");
  const args = ["sentinel.conf", "--sentinel"];
  const server = await launchServer({ binary: await findTestBinary(), cwd: dir, args, port, logFile });
  guardProcess(server.pid);
  const redis = new Redis({ port, host: "127.0.0.1", ...(ownPassword ? { password: ownPassword } : {}) });
  redis.on("error", () => undefined);
  const sentinel = new TestSentinelProcess(port, server, redis, dir);
  await redis.call("SENTINEL", "DEBUG", ...FAST_TIMINGS).catch(() => undefined);
  return sentinel;
}

function buildConfigLines(
  port: number,
  { name, ...master }: MonitoredMaster,
  ownPassword: string | undefined,
): string[] {
  return [
    `port ${port}`,
    "bind 127.0.0.1",
    ...(ownPassword === undefined
      ? []
      : [`requirepass ${ownPassword}`, `sentinel sentinel-pass ${ownPassword}`]),
    `sentinel monitor ${name} 127.0.0.1 ${master.port} ${master.quorum}`,
    ...(master.password === undefined ? [] : [`sentinel auth-pass ${name} ${master.password}`]),
    `sentinel down-after-milliseconds ${name} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${name} ${FAILOVER_TIMEOUT_MS}`,
  ];
}
