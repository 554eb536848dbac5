import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Commands, RedisArgument } from "../commands.ts";
import { waitUntilReady } from "../connect.ts";
import { isReplyError, NeverSentError } from "../failure.ts";
import type { ClusterMap, NodeName } from "./cluster-map.ts";
import { ClusterNodeConnections } from "./cluster-node-connections.ts";
import { parseRedirection } from "./redirection.ts";
import { computeSlot } from "./slot.ts";

/** Time limit of a call for connecting to a node and following redirects, in ms. */
const READY_MS = 200;
const REDIRECT_BUDGET_MS = 500;
const ONE_KEY_PRELUDE = readFileSync(new URL("one-key.lua", import.meta.url), "utf8");

/**
 * Sends each script to the Redis Cluster master that has the script's keys.
 *
 * Does not use the Cluster class of ioredis, which always queues commands. A queued acquire command could then reach a
 * node after the caller's timeout, and the lock would stay held without a client. The ioredis class also reports the
 * same error for a command that was never sent and for a command whose reply was lost.
 */
export class ClusterClient extends EventEmitter implements Commands {
  readonly isCluster = true;
  readonly #nodes: ClusterNodeConnections;
  #status: "ready" | "end" = "ready";

  /** @param map a map that was refreshed at least once */
  constructor(
    private readonly map: ClusterMap,
    readonly name: string,
  ) {
    super();
    this.setMaxListeners(0);
    this.#nodes = new ClusterNodeConnections(map, name);
    map.on("change", this.#connectAll);
    this.#connectAll();
  }

  readonly #connectAll = () => {
    for (const node of this.map.masters) this.#nodes.getConnection(node);
  };

  get status(): string {
    return this.#status;
  }

  get publishesSharded(): boolean {
    return this.map.hasShardedPubSub;
  }

  evalsha(sha: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown> {
    return this.#evalsha(ignoreNode, sha, numberOfKeys, parameters);
  }

  eval(source: string, numberOfKeys: number, ...parameters: RedisArgument[]): Promise<unknown> {
    return this.#eval(ignoreNode, source, numberOfKeys, parameters);
  }

  /** Returns a client that calls `before` with the name of the node before it sends a script to that node. */
  withSendHook(before: (node: NodeName) => void): Commands {
    const status = () => this.#status;
    return {
      get status() {
        return status();
      },
      publishesSharded: this.publishesSharded,
      isCluster: this.isCluster,
      evalsha: (sha, numberOfKeys, ...parameters) => this.#evalsha(before, sha, numberOfKeys, parameters),
      eval: (source, numberOfKeys, ...parameters) => this.#eval(before, source, numberOfKeys, parameters),
      on: (event, listener) => this.on(event, listener),
      off: (event, listener) => this.off(event, listener),
    };
  }

  #evalsha(
    before: (node: NodeName) => void,
    sha: string,
    count: number,
    parameters: RedisArgument[],
  ): Promise<unknown> {
    const keys = parameters.slice(0, count);
    // NOSCRIPT causes the caller to send the whole source.
    const apart = () => Promise.reject(new Error("NOSCRIPT for a slot that is being migrated"));
    const call = (redis: Redis) => redis.evalsha(sha, count, ...parameters);
    return this.#sendToSlot(parameters[0], call, { before, keys, apart });
  }

  #eval(
    before: (node: NodeName) => void,
    source: string,
    count: number,
    parameters: RedisArgument[],
  ): Promise<unknown> {
    const keys = parameters.slice(0, count);
    const [first = "", ...rest] = parameters;
    const apart = (redis: Redis) => redis.eval(`${ONE_KEY_PRELUDE}${source}`, 1, first, count - 1, ...rest);
    const call = (redis: Redis) => redis.eval(source, count, ...parameters);
    return this.#sendToSlot(first, call, { before, keys, apart });
  }

  /** Variants of `evalsha` and `eval` that return strings in the reply as buffers. */
  readonly bytes: Pick<Commands, "evalsha" | "eval"> = {
    evalsha: (sha, count, ...parameters) =>
      this.#sendToSlot(parameters[0], (redis) => redis.callBuffer("EVALSHA", sha, count, ...parameters)),
    eval: (source, count, ...parameters) =>
      this.#sendToSlot(parameters[0], (redis) => redis.callBuffer("EVAL", source, count, ...parameters)),
  };

  /** Sends a command whose first parameter is its only key. */
  call(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown> {
    return this.#sendToSlot(key, (redis) => redis.call(command, key, ...more));
  }

  callBuffer(command: string, key: RedisArgument, ...more: RedisArgument[]): Promise<unknown> {
    return this.#sendToSlot(key, (redis) => redis.callBuffer(command, key, ...more));
  }

  /** The connections to the current masters. Opens missing connections. */
  get masters(): readonly Redis[] {
    return [...this.map.masters].map((node) => this.#nodes.getConnection(node));
  }

  disconnect(): void {
    this.#status = "end";
    this.map.off("change", this.#connectAll);
    this.#nodes.close();
    this.emit("end");
  }

  async #sendToSlot(
    key: RedisArgument | undefined,
    call: (redis: Redis) => Promise<unknown>,
    script?: SentScript,
  ): Promise<unknown> {
    if (key === undefined)
      throw new Error("A script without keys has no slot, so it cannot run on a cluster");
    const slot = computeSlot(key);
    const until = performance.now() + REDIRECT_BUDGET_MS;
    let node = this.map.findMaster(slot);
    let mustAsk = false;
    for (;;) {
      try {
        const redis = await this.#getReadyConnection(node);
        if (node !== undefined) script?.before(node);
        // ASKING applies only to the next command on the connection.
        if (mustAsk) redis.asking().catch(() => undefined);
        const reply = call(redis);
        if (!mustAsk || script === undefined || node === undefined) return await reply;
        const at = node;
        return await reply.catch((error: unknown) => this.#retryWithOneKey(error, script, redis, at));
      } catch (error) {
        const redirection = parseRedirection(error, node);
        if (redirection === undefined) {
          if (mayBeOutdated(error)) this.map.refreshSoon();
          throw error;
        }
        if (redirection.kind === "MOVED") this.map.recordMove(slot, redirection.node);
        if (performance.now() > until) throw error;
        node = redirection.node;
        mustAsk = redirection.kind === "ASK";
      }
    }
  }

  /**
   * Retries a script and declares only its first key. This is done if the destination of a slot migration returned
   * TRYAGAIN and the source has none of the script's keys. Rethrows `error` in all other cases.
   */
  async #retryWithOneKey(error: unknown, script: SentScript, redis: Redis, node: NodeName): Promise<unknown> {
    const source = this.map.findMaster(computeSlot(script.keys[0] ?? ""));
    if (!isTryAgain(error) || source === undefined) throw error;
    const leaving = await this.#getReadyConnection(source);
    // The source of a migration accepts no new keys. A missing key must therefore be created at the destination.
    const isGone = (key: RedisArgument) =>
      leaving.call("EXISTS", key).then(
        () => false,
        (why: unknown) => parseRedirection(why, source)?.kind === "ASK",
      );
    if (!(await Promise.all(script.keys.map(isGone))).every(Boolean)) throw error;
    script.before(node);
    redis.asking().catch(() => undefined);
    return await script.apart(redis);
  }

  async #getReadyConnection(node: NodeName | undefined): Promise<Redis> {
    if (this.#status === "end") throw new NeverSentError("The connection was closed");
    if (node === undefined) throw new NeverSentError("No node of the cluster has the slot");
    const redis = this.#nodes.getConnection(node);
    if (redis.status !== "ready") await waitUntilReady(redis, AbortSignal.timeout(READY_MS));
    return redis;
  }
}

/** A script to send to a node, with a fallback for a slot in migration. */
interface SentScript {
  readonly keys: readonly RedisArgument[];
  before(node: NodeName): void;
  /**
   * Sends the script with only one declared key. Used during the migration of a slot, once the source node has none of
   * the script's keys.
   */
  apart(redis: Redis): Promise<unknown>;
}

const ignoreNode = () => undefined;

function isTryAgain(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("TRYAGAIN");
}

/**
 * Whether an outdated map may have caused an error. An error reply proves that the node is up. After any other error,
 * another node may have its slots.
 */
function mayBeOutdated(error: unknown): boolean {
  return !isReplyError(error) || error.message.startsWith("CLUSTERDOWN");
}
