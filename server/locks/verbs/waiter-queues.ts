import type { Key } from "../../../lib/keys/key.ts";
import { buildWakeChannel } from "../../formats/keys.ts";
import type { RedisArgument, Subscriber } from "../../redis/commands.ts";
import { isReplyError } from "../../redis/failure.ts";
import { toRedisArgument } from "../../redis/script.ts";
import { buildKeyspaceChannel, isKeyspaceChannel, isTaken, isWakeUp } from "./key-endings.ts";
import { KeyQueue, type KeyspaceState, type QueueChannels, type QueuePlace } from "./key-queue.ts";
import type { HeldOutcome } from "./wait-stop.ts";

/** Where keyspace notifications of the waited-for locks are heard. */
export interface KeyspaceSource {
  readonly subscriber: Subscriber;
  readonly db: number;
}

/**
 * Where those wait whose lock is held. All of one key and process share their subscriptions and one waiter in Redis: a
 * release wakes one of them, not all. A queue subscribes to the wake-ups that we and Redisson publish, and to the
 * keyspace notifications of its key, which tell of the releases of every other library.
 *
 * A queue is looked after in the order: subscribe, look again, sleep. So a release between the first look and
 * the subscription is not missed.
 */
export class WaiterQueues {
  /** By the names of both of its channels. */
  readonly #queues = new Map<string, KeyQueue>();
  #keyspaceState: KeyspaceState = "unheard";

  constructor(
    private readonly subscriber: Subscriber,
    private readonly keyspace?: KeyspaceSource,
  ) {
    const sources = new Set([subscriber, keyspace?.subscriber ?? subscriber]);
    for (const source of sources) {
      source.on("messageBuffer", (channel, message) => {
        const queue = this.#queues.get(toChannelName(channel));
        if (isKeyspaceChannel(channel)) this.#keyspaceState = "heard";
        if (isWakeUp(channel, message)) queue?.wakeSoon();
        else if (isTaken(channel, message)) queue?.cancelWake();
      });
      // What was published while the subscription was broken is lost, so everyone who is first looks again.
      source.on("ready", () => {
        this.#keyspaceState = "unheard";
        for (const queue of new Set(this.#queues.values())) void this.#subscribe(queue);
      });
    }
  }

  /**
   * @param since orders those who wait: one who comes back keeps its place
   * @param seen what the look showed that led here
   */
  enqueue(key: Key, since: number, seen: HeldOutcome): QueuePlace {
    const channel = toBuffer(buildWakeChannel(key));
    let queue = this.#queues.get(toChannelName(channel));
    if (queue === undefined) {
      queue = new KeyQueue(
        this.#buildChannels(key, channel),
        () => this.#keyspaceState,
        (left) => this.#close(left),
      );
      for (const name of queue.channels.names) this.#queues.set(name, queue);
      void this.#subscribe(queue);
    }
    queue.recordLook(seen);
    return queue.enqueue(since);
  }

  /** As `KeyQueue.prepareHandOver`; undefined, too, if nobody waits here. */
  prepareHandOver(key: Key): (() => void) | undefined {
    if (this.#queues.size === 0) return undefined;
    return this.#queues.get(toChannelName(toBuffer(buildWakeChannel(key))))?.prepareHandOver();
  }

  #buildChannels(key: Key, wake: Buffer): QueueChannels {
    const { keyspace } = this;
    if (keyspace === undefined) return { names: [toChannelName(wake)], wake, keyspace: undefined };
    const notifications = buildKeyspaceChannel(keyspace.db, toBuffer(toRedisArgument(key)));
    return { names: [wake, notifications].map(toChannelName), wake, keyspace: notifications };
  }

  /** Looks again once the subscriptions stand, and without them as well: then the timer has to do. */
  async #subscribe(queue: KeyQueue): Promise<void> {
    const { wake } = queue.channels;
    await Promise.allSettled([this.#subscribeToKeyspace(queue.channels), this.subscriber.subscribe(wake)]);
    queue.wake();
  }

  async #subscribeToKeyspace({ keyspace }: QueueChannels): Promise<void> {
    if (keyspace === undefined || this.#keyspaceState === "refused") return;
    await this.keyspace?.subscriber.subscribe(keyspace).catch((error: unknown) => {
      if (isReplyError(error)) this.#keyspaceState = "refused";
    });
  }

  #close({ channels: { names, wake, keyspace } }: KeyQueue): void {
    for (const name of names) this.#queues.delete(name);
    this.subscriber.unsubscribe(wake).catch(() => undefined);
    if (keyspace !== undefined) this.keyspace?.subscriber.unsubscribe(keyspace).catch(() => undefined);
  }
}

const toChannelName = (channel: Buffer) => channel.toString("latin1");
const toBuffer = (name: RedisArgument) => (Buffer.isBuffer(name) ? name : Buffer.from(String(name)));
