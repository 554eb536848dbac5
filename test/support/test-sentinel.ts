import type { Redis } from "ioredis";
import type { SentinelLocation } from "../../server/redis/sentinel/sentinel-address.ts";
import { startSentinel, type TestSentinelProcess } from "./sentinel-process.ts";
import { startTestRedis, type TestRedis } from "./test-redis.ts";
import { waitUntil } from "./test-server.ts";

const FAILOVER_TIMEOUT_MS = 15_000;
const FAILOVER_TRIES = 10;
/** Maximum time to wait for the confirmation of a replica in milliseconds, which can be late on a busy machine. */
const SYNC_WAIT_MS = 1000;

export interface TestSentinelOptions {
  readonly sentinels?: number;
  readonly replicas?: number;
  /** Arguments that are added for each server, but not for the sentinels. */
  readonly args?: readonly string[];
  /** Password of the servers. */
  readonly password?: string;
  /** Password of the sentinels. */
  readonly sentinelPassword?: string;
  /** Name of the master in Sentinel. "locks" by default. */
  readonly name?: string;
}

export interface TestSentinel {
  readonly name: string;
  /** The initial master, followed by its initial replicas. Their roles may have changed. */
  readonly servers: readonly TestRedis[];
  readonly sentinelPorts: readonly number[];
  readonly where: SentinelLocation;
  /** Waits until all sentinels name the same master and this server reports the role, and returns the server. */
  findMaster(): Promise<TestRedis>;
  /**
   * Resolves with the new master once all sentinels and the new master itself report that it has replaced `insteadOf`.
   */
  waitForPromotion(insteadOf: TestRedis): Promise<TestRedis>;
  /** Kills the master with SIGKILL. @returns the killed master */
  killMaster(): Promise<TestRedis>;
  /**
   * Stops the master with SIGSTOP. After `thaw()`, the server still acts as master for a moment.
   *
   * @returns the frozen master
   */
  freezeMaster(): Promise<TestRedis>;
  /** Performs SENTINEL FAILOVER once all replicas are in sync. @returns the new master */
  failover(): Promise<TestRedis>;
  /**
   * Performs SENTINEL FAILOVER as soon as a replica can be promoted, even if the master is down. Resolves with the new
   * master.
   */
  promote(insteadOf: TestRedis): Promise<TestRedis>;
  /** Stops the replicas with SIGSTOP until `thaw()`, and drops data in transit to them. */
  cutReplicas(): Promise<void>;
  /** Returns whether all other servers are replicas of the master and in sync. */
  isInSync(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Starts a master, a replica and three sentinels for one test file. */
export async function startTestSentinel(options: TestSentinelOptions = {}): Promise<TestSentinel> {
  const { sentinels = 3, replicas = 1, name = "locks" } = options;
  const servers: TestRedis[] = [];
  const group = new SentinelGroup(name, servers, options);
  try {
    for (let n = 0; n < 1 + replicas; n++) servers.push(await startServer(options, servers[0]));
    await waitUntil(() => group.isInSyncWith(servers[0]), 10_000);
    for (let n = 0; n < sentinels; n++) await group.addSentinel(servers[0]?.port ?? 0, sentinels);
    await waitUntil(() => group.isTopologyKnown(), 15_000);
  } catch (error) {
    await group.stop();
    throw error;
  }
  return group;
}

function startServer(options: TestSentinelOptions, master: TestRedis | undefined): Promise<TestRedis> {
  const { password } = options;
  const follow = master === undefined ? [] : ["--replicaof", "127.0.0.1", String(master.port)];
  const auth = password === undefined ? [] : ["--masterauth", password];
  return startTestRedis({
    args: [
      "--repl-diskless-sync-delay",
      "0",
      "--repl-timeout",
      "5",
      ...follow,
      ...auth,
      ...(options.args ?? []),
    ],
    ...(password === undefined ? {} : { password }),
  });
}

class SentinelGroup implements TestSentinel {
  readonly #sentinels: TestSentinelProcess[] = [];
  readonly #clients = new Map<TestRedis, Redis>();

  constructor(
    readonly name: string,
    readonly servers: readonly TestRedis[],
    private readonly options: TestSentinelOptions,
  ) {}

  get sentinelPorts(): readonly number[] {
    return this.#sentinels.map(({ port }) => port);
  }

  get where(): SentinelLocation {
    const { password, sentinelPassword } = this.options;
    const userOf = (secret: string | undefined) => (secret === undefined ? "" : `:${secret}@`);
    return {
      sentinel: this.sentinelPorts.map((port) => `redis://${userOf(sentinelPassword)}127.0.0.1:${port}`),
      master: this.name,
      ...(password === undefined ? {} : { redis: `redis://${userOf(password)}master` }),
    };
  }

  async addSentinel(masterPort: number, count: number): Promise<void> {
    const { password, sentinelPassword } = this.options;
    const quorum = Math.floor(count / 2) + 1;
    const monitor = { name: this.name, port: masterPort, password, quorum };
    this.#sentinels.push(await startSentinel(monitor, sentinelPassword));
  }

  /** Returns whether each sentinel knows the other sentinels and the replicas. */
  async isTopologyKnown(): Promise<boolean> {
    const { replicas = 1 } = this.options;
    const facts = await Promise.all(this.#sentinels.map((sentinel) => sentinel.readMasterFacts(this.name)));
    return facts.every(
      (fact) =>
        Number(fact.get("num-other-sentinels")) === this.#sentinels.length - 1 &&
        Number(fact.get("num-slaves")) === replicas,
    );
  }

  async findMaster(): Promise<TestRedis> {
    let found: TestRedis | undefined;
    await waitUntil(async () => {
      found = await this.#findAgreedMaster();
      return found !== undefined;
    }, FAILOVER_TIMEOUT_MS);
    if (found === undefined) throw new Error("the sentinels do not agree");
    return found;
  }

  async waitForPromotion(insteadOf: TestRedis): Promise<TestRedis> {
    let found: TestRedis | undefined;
    await waitUntil(async () => {
      found = await this.#findAgreedMaster();
      return found !== undefined && found !== insteadOf;
    }, FAILOVER_TIMEOUT_MS);
    if (found === undefined) throw new Error("nobody was promoted");
    return found;
  }

  async killMaster(): Promise<TestRedis> {
    const master = await this.findMaster();
    await master.kill();
    return master;
  }

  async freezeMaster(): Promise<TestRedis> {
    const master = await this.findMaster();
    master.freeze();
    return master;
  }

  async failover(): Promise<TestRedis> {
    const old = await this.findMaster();
    await waitUntil(() => this.isInSyncWith(old), FAILOVER_TIMEOUT_MS);
    return await this.promote(old);
  }

  async promote(insteadOf: TestRedis): Promise<TestRedis> {
    const found = async () => {
      const master = await this.#findAgreedMaster();
      return master !== undefined && master !== insteadOf;
    };
    for (let left = FAILOVER_TRIES; left > 0 && !(await found()); left--) {
      // The failover is refused during another failover or without a suitable replica, and abandoned if a connection
      // breaks. Then the next attempt follows.
      await this.#sentinels[0]?.failover(this.name).catch(() => undefined);
      await waitUntil(found, FAILOVER_TIMEOUT_MS / FAILOVER_TRIES).catch(() => undefined);
    }
    return await this.waitForPromotion(insteadOf);
  }

  async cutReplicas(): Promise<void> {
    const master = await this.findMaster();
    for (const server of this.servers) if (server !== master) server.freeze();
    // Closes the replication connections. Otherwise, a stopped replica would read the data in its socket buffers when
    // it continues.
    await this.getClient(master).call("CLIENT", "KILL", "TYPE", "replica");
  }

  async isInSync(): Promise<boolean> {
    const master = await this.#findAgreedMaster();
    return master !== undefined && (await this.isInSyncWith(master));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sentinels.map((sentinel) => sentinel.stop()));
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** Returns a plain connection to one of the servers. */
  getClient(server: TestRedis): Redis {
    const known = this.#clients.get(server) ?? server.createClient();
    this.#clients.set(server, known);
    return known;
  }

  /**
   * Returns whether all replicas confirm a new write. The link status is not sufficient, because a replica may receive
   * no data for up to a second after a full synchronization.
   */
  async isInSyncWith(master: TestRedis | undefined): Promise<boolean> {
    if (master === undefined) return false;
    const redis = this.getClient(master);
    const replicas = this.servers.length - 1;
    return await redis
      .publish("in-step", "")
      .then(() => redis.wait(replicas, SYNC_WAIT_MS))
      .then(
        (count) => count === replicas,
        () => false,
      );
  }

  /**
   * Returns the server that all sentinels name as master and that reports this role itself, or `undefined` if there is
   * none.
   */
  async #findAgreedMaster(): Promise<TestRedis | undefined> {
    const named = await Promise.all(this.#sentinels.map((sentinel) => sentinel.findMasterPort(this.name)));
    const [port] = named;
    const server = this.servers.find((each) => each.port === port);
    if (server === undefined || named.some((each) => each !== port)) return undefined;
    return (await this.#readReplicationInfo(server)).includes("role:master") ? server : undefined;
  }

  /** Returns the replication section of INFO, or an empty string if the server does not reply within 300 ms. */
  async #readReplicationInfo(server: TestRedis): Promise<string> {
    const answer = this.getClient(server).info("replication");
    answer.catch(() => undefined);
    const late = new Promise<string>((resolve) => setTimeout(() => resolve(""), 300).unref());
    return await Promise.race([answer.catch(() => ""), late]);
  }
}
