import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { formatNodeName, type NodeName, parseNodeName } from "../cluster/cluster-map.ts";
import type { RedisAddress } from "../connect.ts";
import { describeConnectionError } from "../connection-errors.ts";
import { NeverSentError } from "../failure.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface SentinelReply extends Endpoint {
  /** The epoch of the failover that promoted the master. Larger epochs are later. */
  readonly epoch: number;
}

/** Time limit for the reply of a sentinel, in ms. */
const ASK_MS = 500;
/**
 * Time, in ms, to wait for the other sentinels after the first reply. A partitioned sentinel may return the old master.
 */
const STRAGGLER_WAIT_MS = 20;
/**
 * Time, in ms, for which subscriptions stay open after the last listener was removed. Disconnected clients query again
 * within this time.
 */
const LISTEN_LINGER_MS = 3000;

/** Queries the sentinels of one group for the current master, and reports when another server becomes the master. */
export class Sentinels {
  #listeners: Redis[] = [];
  #stopTimer: NodeJS.Timeout | undefined;
  readonly #switchListeners = new Set<(to: Endpoint) => void>();

  constructor(
    readonly master: string,
    private readonly addresses: readonly RedisAddress[],
    private readonly natMap: Readonly<Record<NodeName, NodeName>>,
  ) {}

  /**
   * Finds the current master.
   *
   * @throws NeverSentError if no sentinel names a master
   */
  async findMaster(): Promise<Endpoint> {
    const replies: SentinelReply[] = [];
    const done = new AbortController();
    const answers = this.addresses.map(async (address) => {
      replies.push(await this.#askSentinel(address, done.signal));
    });
    try {
      await Promise.any(answers);
      await Promise.race([
        Promise.allSettled(answers),
        sleep(STRAGGLER_WAIT_MS, undefined, { signal: done.signal }),
      ]);
    } catch (error) {
      throw new NeverSentError(
        `No sentinel names the master ${this.master}: ${describeConnectionError(error)}`,
      );
    } finally {
      done.abort();
    }
    return replies.reduce((latest, each) => (each.epoch > latest.epoch ? each : latest));
  }

  /** Calls the callback whenever another server becomes the master. @returns a function that removes the callback */
  onSwitch(onSwitch: (to: Endpoint) => void): () => void {
    clearTimeout(this.#stopTimer);
    this.#switchListeners.add(onSwitch);
    if (this.#listeners.length === 0)
      this.#listeners = this.addresses.map((address) => this.#connectListener(address));
    return () => {
      this.#switchListeners.delete(onSwitch);
      if (this.#switchListeners.size > 0) return;
      clearTimeout(this.#stopTimer);
      this.#stopTimer = setTimeout(() => this.#stopListening(), LISTEN_LINGER_MS);
      this.#stopTimer.unref();
    };
  }

  #stopListening(): void {
    for (const redis of this.#listeners) redis.disconnect();
    this.#listeners = [];
  }

  #connectListener(address: RedisAddress): Redis {
    const redis = connectSentinel(address, { retryStrategy: () => 500 });
    // The subscription does not keep the process alive.
    redis.on("connect", () => redis.stream.unref());
    redis.on("ready", () => redis.subscribe("+switch-master").catch(() => undefined));
    redis.on("message", (_, message: string) => {
      const [name, , , host, port] = message.split(" ");
      if (name !== this.master || host === undefined) return;
      const to = this.#toReachable({ host, port: Number(port) });
      for (const onSwitch of this.#switchListeners) onSwitch(to);
    });
    return redis;
  }

  async #askSentinel(address: RedisAddress, signal: AbortSignal): Promise<SentinelReply> {
    const redis = connectSentinel(address, { retryStrategy: () => null });
    const end = () => redis.disconnect();
    signal.addEventListener("abort", end);
    let cause: unknown;
    redis.once("error", (error) => {
      cause = error;
    });
    try {
      const [place, facts] = await Promise.all([
        redis.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", this.master),
        redis.call("SENTINEL", "MASTER", this.master).catch(() => []),
      ]);
      if (!Array.isArray(place)) throw new Error(`${address.label} does not know a master of this name`);
      const known = Array.isArray(facts) ? facts : [];
      const at = known.indexOf("config-epoch");
      const reachable = this.#toReachable({ host: String(place[0]), port: Number(place[1]) });
      return { ...reachable, epoch: at === -1 ? 0 : Number(known[at + 1]) };
    } catch (error) {
      throw cause ?? error;
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  #toReachable({ host, port }: Endpoint): Endpoint {
    const mapped = this.natMap[formatNodeName(host, port)];
    return mapped === undefined ? { host, port } : parseNodeName(mapped);
  }
}

function connectSentinel(address: RedisAddress, more: { retryStrategy: () => number | null }): Redis {
  const redis = new Redis({
    ...address.options,
    connectionName: "lockkeeper:sentinel",
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false,
    connectTimeout: ASK_MS,
    commandTimeout: ASK_MS,
    ...more,
  });
  redis.on("error", () => undefined);
  return redis;
}
