import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { type LaunchedServer, launch } from "../../server/redis/embedded/server-launch.ts";
import { signal, untilGone } from "../../server/redis/embedded/server-process.ts";
import { forgetProcess, watchProcess } from "./process-guard.ts";
import { freePort, testBinary } from "./test-redis.ts";

const DOWN_AFTER_MS = 500;
const FAILOVER_TIMEOUT_MS = 2000;
/**
 * Redis 7 lets tests hurry; older ones take some seconds longer. Of a replica whose master is down Sentinel asks once a
 * second, hurry or not, and takes it for no good when it has heard nothing for five periods of pings: they must be more
 * than that second.
 */
const HURRY = ["info-period", "200", "ask-period", "100", "publish-period", "200", "ping-period", "250"];

/** The master that is watched. */
interface Monitor {
  readonly name: string;
  readonly port: number;
  readonly password: string | undefined;
  /** How many sentinels have to agree that it is down. */
  readonly quorum: number;
}

/** One process of Redis Sentinel. */
export class Sentinel {
  constructor(
    readonly port: number,
    private readonly server: LaunchedServer,
    private readonly redis: Redis,
    private readonly dir: string,
  ) {}

  /** The port of the master by that name; undefined when it does not answer. */
  async portOf(name: string): Promise<number | undefined> {
    const place = await this.redis.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name).catch(() => undefined);
    return Array.isArray(place) ? Number(place[1]) : undefined;
  }

  async factsOf(name: string): Promise<Map<string, string>> {
    const told = await this.redis.call("SENTINEL", "MASTER", name);
    const words = Array.isArray(told) ? told.map(String) : [];
    const pairs = words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : []));
    return new Map(pairs);
  }

  /** Asks it to promote a replica. Rejects while one is under way, or none is known to be good. */
  async failover(name: string): Promise<void> {
    await this.redis.call("SENTINEL", "FAILOVER", name);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    signal(this.server.pid, "SIGKILL");
    await untilGone(this.server.pid, 2000);
    forgetProcess(this.server.pid);
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** @param ownPassword of the sentinel itself */
export async function startSentinel(monitor: Monitor, ownPassword: string | undefined): Promise<Sentinel> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "lockkeeper-sentinel-")));
  const port = await freePort();
  const lines = linesOf(port, monitor, ownPassword);
  await writeFile(join(dir, "sentinel.conf"), `${lines.join("\n")}\n`);
  const logFile = join(dir, "sentinel.log");
  const args = ["sentinel.conf", "--sentinel"];
  const server = await launch({ binary: await testBinary(), cwd: dir, args, port, logFile });
  watchProcess(server.pid);
  const redis = new Redis({ port, host: "127.0.0.1", ...(ownPassword ? { password: ownPassword } : {}) });
  redis.on("error", () => undefined);
  const sentinel = new Sentinel(port, server, redis, dir);
  await redis.call("SENTINEL", "DEBUG", ...HURRY).catch(() => undefined);
  return sentinel;
}

function linesOf(port: number, { name, ...master }: Monitor, ownPassword: string | undefined): string[] {
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
