import { EventEmitter, setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { z } from "zod";
import { connect, type RedisAddress, whenReady } from "../connect.ts";
import { factIn } from "../server-info.ts";

/** `host:port` of a node. */
export type NodeName = string;

export interface ClusterAddress {
  readonly seeds: readonly NodeName[];
  /** How to reach a node; they have user, password and TLS in common. */
  addressOf(node: NodeName): RedisAddress;
}

const SLOTS = 16_384;
/** The next node is asked this soon when one has not answered. */
const NEXT_AFTER_MS = 150;
const LOOK_MS_MAX = 2000;
/** Calls that fail ask for another look, each of them: one is enough for this long. */
const LOOK_EVERY_MS = 200;

const Node = z.tuple([z.string().nullable(), z.int()]).rest(z.unknown());
const Slots = z.array(z.tuple([z.int(), z.int()]).rest(Node)).min(1);

interface Told {
  /** The one that was asked. */
  readonly node: NodeName;
  readonly slots: z.infer<typeof Slots>;
  readonly hasShardedPubSub: boolean;
  /** Rises with every failover and with most moves of slots. */
  readonly epoch: number;
  /** Whether it is in touch with most of the masters. */
  readonly isOk: boolean;
}

/** Which master has which slot. What a node's MOVED says is believed at once, all the rest is looked up. */
export class ClusterMap extends EventEmitter<{ change: [moved: readonly number[]] }> {
  #masterOf: (NodeName | undefined)[] = [];
  #nodes: readonly NodeName[] = [];
  #epoch = 0;
  /** undefined: not asked yet. */
  #hasShardedPubSub: boolean | undefined;
  #look: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(readonly address: ClusterAddress) {
    super();
    this.setMaxListeners(0);
  }

  masterOf(slot: number): NodeName | undefined {
    return this.#masterOf[slot];
  }

  /** Redis 7 and newer. */
  get hasShardedPubSub(): boolean {
    return this.#hasShardedPubSub ?? false;
  }

  get masters(): ReadonlySet<NodeName> {
    return new Set(this.#masterOf.filter((node) => node !== undefined));
  }

  move(slot: number, node: NodeName): void {
    if (this.#masterOf[slot] === node) return;
    this.#masterOf[slot] = node;
    this.emit("change", [slot]);
    this.lookSoon();
  }

  /** Something failed as it does when the map is old. */
  lookSoon(): void {
    if (this.#isClosed || performance.now() - this.#lookedAt < LOOK_EVERY_MS) return;
    this.look().catch(() => undefined);
  }

  /** Nothing is looked up any more by itself. */
  close(): void {
    this.#isClosed = true;
    this.removeAllListeners();
  }

  /** @throws when no node answers */
  look(): Promise<void> {
    this.#look ??= this.#lookNow().finally(() => {
      this.#look = undefined;
      this.#lookedAt = performance.now();
    });
    return this.#look;
  }

  /** Asks a node over a connection that stands. @throws when it does not answer, or knows less than we do */
  async lookAt(node: NodeName, redis: Redis): Promise<void> {
    const told = await askAt(node, redis, this.#hasShardedPubSub);
    if (this.#isOld(told)) throw new Error(`${node} knows an older cluster`);
    this.#take(told);
  }

  async #lookNow(): Promise<void> {
    const nodes = new Set([...shuffled(this.#nodes), ...this.address.seeds]);
    const old: Told[] = [];
    const ask = async (node: NodeName, signal: AbortSignal) => {
      const told = await this.#ask(node, signal);
      if (!this.#isOld(told)) return told;
      old.push(told);
      throw new Error(`${node} knows an older cluster`);
    };
    const told = await firstAnswer([...nodes], ask).catch((error) => {
      // Better than nothing; and a cluster that was made anew counts from the beginning.
      const newest = old.reduce<Told | undefined>((a, b) => (a && a.epoch > b.epoch ? a : b), undefined);
      if (newest === undefined) throw error;
      return newest;
    });
    this.#take(told);
  }

  /** One that was cut off from the others still tells of what was before the failover. */
  #isOld({ epoch, isOk }: Told): boolean {
    return !isOk || epoch < this.#epoch;
  }

  #take({ node: asked, slots, hasShardedPubSub, epoch, isOk }: Told): void {
    const { host } = placeOf(asked);
    // A node that does not know its own name gives none: it is where it was asked.
    const nameOf = ([named, port]: z.infer<typeof Node>) => nodeName(named || host, port);
    const before = this.#masterOf;
    const masterOf: (NodeName | undefined)[] = new Array(SLOTS).fill(undefined);
    for (const [from, to, master] of slots) {
      if (master !== undefined) masterOf.fill(nameOf(master), from, to + 1);
    }
    if (isOk) this.#epoch = epoch;
    this.#masterOf = masterOf;
    this.#hasShardedPubSub = hasShardedPubSub;
    this.#nodes = [...new Set(slots.flatMap(([, , ...nodes]) => nodes.map(nameOf)))];
    const moved = masterOf.flatMap((node, slot) => (node === before[slot] ? [] : [slot]));
    if (moved.length > 0) this.emit("change", moved);
  }

  async #ask(node: NodeName, signal: AbortSignal): Promise<Told> {
    const redis = connect(this.address.addressOf(node), "map", { retryStrategy: () => null });
    let cause: unknown;
    redis.once("error", (error) => {
      cause = error;
    });
    try {
      await whenReady(redis, signal);
      return await askAt(node, redis, this.#hasShardedPubSub);
    } catch (error) {
      throw cause ?? error;
    } finally {
      redis.disconnect();
    }
  }
}

async function askAt(node: NodeName, redis: Redis, isSharded: boolean | undefined): Promise<Told> {
  const [slots, info, hasShardedPubSub] = await Promise.all([
    redis.cluster("SLOTS"),
    redis.cluster("INFO"),
    isSharded ?? redis.call("COMMAND", "INFO", "SPUBLISH").then(isKnownCommand, () => false),
  ]);
  return {
    node,
    slots: Slots.parse(slots),
    hasShardedPubSub,
    epoch: Number(factIn(String(info), "cluster_current_epoch") ?? 0),
    isOk: factIn(String(info), "cluster_state") === "ok",
  };
}

const isKnownCommand = (reply: unknown) => Array.isArray(reply) && reply[0] !== null;

export function nodeName(host: string, port: number): NodeName {
  return `${host}:${port}`;
}

export function placeOf(node: NodeName): { host: string; port: number } {
  const at = node.lastIndexOf(":");
  return { host: node.slice(0, at), port: Number(node.slice(at + 1)) };
}

/** The first answer; a node that is frozen holds it up only until the next one is asked. */
async function firstAnswer<Answer>(
  nodes: readonly NodeName[],
  ask: (node: NodeName, signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(LOOK_MS_MAX)]);
  // Each node listens for its end, and a cluster may have hundreds.
  setMaxListeners(0, signal);
  const answers = nodes.map(async (node, at) => {
    if (at > 0) await sleep(at * NEXT_AFTER_MS, undefined, { signal });
    return await ask(node, signal);
  });
  try {
    return await Promise.any(answers);
  } finally {
    done.abort();
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
