import type { WritableKind } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { buildFairWakeChannel, buildWakeChannel } from "../../formats/keys.ts";
import { buildKindWakeChannel } from "../../formats/kind-keys.ts";
import type { RedisArgument, Subscriber } from "../../redis/commands.ts";
import { isReplyError } from "../../redis/failure.ts";
import { toRedisArgument } from "../../redis/script.ts";
import { buildKeyspaceChannel, isKeyspaceChannel, isTaken, isWakeUp } from "./key-endings.ts";
import { KeyQueue, type KeyspaceState, type QueueChannels, type QueuePlace } from "./key-queue.ts";
import type { HeldOutcome } from "./wait-stop.ts";

/** The connection that receives keyspace notifications, and the database whose keys they report. */
export interface KeyspaceSource {
  readonly subscriber: Subscriber;
  readonly db: number;
}

export interface EnqueueOptions {
  /** The kind of the lock; `lock` by default. Each kind has its own queue. */
  readonly kind?: WritableKind | undefined;
  /**
   * Whether a hold of this process can be handed over to the waiter; true by default. Set this option to false if the
   * waiter also needs another lock, because a hand-over wakes no other process.
   */
  readonly acceptsHandOver?: boolean | undefined;
  /**
   * The token of a waiter of a fair lock. Redis stores the place of the waiter in the queue, and each waiter is woken
   * individually. The waiter therefore shares neither attempts nor wake-ups with other waiters in this process.
   */
  readonly fairWaiter?: string | undefined;
  /**
   * The wake-up channel of an object that publishes a message for every release, which makes keyspace notifications
   * unnecessary. By default, the queue uses the channel of a lock, combined with keyspace notifications.
   */
  readonly wakeChannel?: RedisArgument | undefined;
}

/**
 * The waiters in this process. Waiters for the same key and kind share a queue, and a release wakes only the first
 * waiter in the queue. A queue subscribes to the wake-ups that Lockkeeper and Redisson publish. By default, it also
 * subscribes to the keyspace notifications for its key, which report the releases of every other library.
 *
 * After the first attempt, a queue subscribes, tries again, and then sleeps. The second attempt detects a release that
 * happened before the subscription.
 */
export class WaiterQueues {
  /** Queues by the kind of the lock and the name of its channel. */
  readonly #queues = new Map<string, KeyQueue>();
  /** Queues by channel. A channel has several queues if both readers and writers of a lock wait. */
  readonly #queuesByChannel = new Map<string, Set<KeyQueue>>();
  #keyspaceState: KeyspaceState = "unconfirmed";

  constructor(
    private readonly subscriber: Subscriber,
    private readonly keyspace?: KeyspaceSource,
  ) {
    const sources = new Set([subscriber, keyspace?.subscriber ?? subscriber]);
    for (const source of sources) {
      source.on("messageBuffer", (channel, message) => {
        if (isKeyspaceChannel(channel)) this.#keyspaceState = "confirmed";
        const [isFree, isHeld] = [isWakeUp(channel, message), isTaken(channel, message)];
        for (const queue of this.#queuesByChannel.get(toChannelName(channel)) ?? []) {
          if (isFree) queue.wakeSoon();
          // Waiters of a shared lock can acquire it although another client has acquired it as well.
          else if (isHeld && !queue.isShared) queue.cancelWake();
        }
      });
      // Messages during the interruption are lost, so the head of each queue tries again.
      source.on("ready", () => {
        this.#keyspaceState = "unconfirmed";
        for (const queue of this.#queues.values()) void this.#subscribe(queue);
      });
    }
  }

  /**
   * Adds a waiter to the queue of a key.
   *
   * @param since when the caller began to wait, in Unix ms. This time determines the position, so that a caller that
   * returns keeps its place
   * @param seen the result of the attempt that was refused
   */
  enqueue(
    key: Key,
    since: number,
    seen: HeldOutcome,
    { acceptsHandOver = true, fairWaiter, wakeChannel, kind = "lock" }: EnqueueOptions = {},
  ): QueuePlace {
    const isFair = fairWaiter !== undefined;
    const own = isFair ? buildFairWakeChannel(key, fairWaiter) : wakeChannel;
    const channel = toBuffer(own ?? buildKindWakeChannel(kind, key));
    const name = `${kind} ${toChannelName(channel)}`;
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new KeyQueue(
        own === undefined ? this.#buildChannels(key, channel) : toPlainChannels(channel),
        // A release of a fair lock always wakes the next waiter.
        () => (isFair ? "confirmed" : this.#keyspaceState),
        (left) => this.#close(name, left),
        kind === "read",
      );
      this.#queues.set(name, queue);
      for (const each of queue.channels.names) this.#listQueue(each, queue);
      void this.#subscribe(queue);
    }
    queue.recordAttempt(seen);
    return queue.enqueue(since, acceptsHandOver);
  }

  /**
   * Prepares a hand-over, like `KeyQueue.prepareHandOver`, to a waiter of a plain lock. Also returns `undefined` if the
   * key has no waiters in this process.
   */
  prepareHandOver(key: Key): (() => void) | undefined {
    if (this.#queues.size === 0) return undefined;
    return this.#queues.get(`lock ${toChannelName(toBuffer(buildWakeChannel(key)))}`)?.prepareHandOver();
  }

  #buildChannels(key: Key, wake: Buffer): QueueChannels {
    const { keyspace } = this;
    if (keyspace === undefined) return toPlainChannels(wake);
    const notifications = buildKeyspaceChannel(keyspace.db, toBuffer(toRedisArgument(key)));
    return { names: [wake, notifications].map(toChannelName), wake, keyspace: notifications };
  }

  /**
   * Subscribes the queue to its channels, and then wakes it for an attempt. If a subscription failed, the queue relies
   * on its timer.
   */
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

  #listQueue(channel: string, queue: KeyQueue): void {
    const queues = this.#queuesByChannel.get(channel);
    if (queues === undefined) this.#queuesByChannel.set(channel, new Set([queue]));
    else queues.add(queue);
  }

  /**
   * Removes a queue from the queues that listen on a channel.
   *
   * @returns whether no other queue needs the channel
   */
  #unlistQueue(channel: string, queue: KeyQueue): boolean {
    const queues = this.#queuesByChannel.get(channel);
    queues?.delete(queue);
    if (queues !== undefined && queues.size > 0) return false;
    this.#queuesByChannel.delete(channel);
    return true;
  }

  #close(name: string, queue: KeyQueue): void {
    const { wake, keyspace } = queue.channels;
    this.#queues.delete(name);
    if (this.#unlistQueue(toChannelName(wake), queue))
      this.subscriber.unsubscribe(wake).catch(() => undefined);
    if (keyspace !== undefined && this.#unlistQueue(toChannelName(keyspace), queue))
      this.keyspace?.subscriber.unsubscribe(keyspace).catch(() => undefined);
  }
}

const toPlainChannels = (wake: Buffer): QueueChannels => ({
  names: [toChannelName(wake)],
  wake,
  keyspace: undefined,
});
const toChannelName = (channel: Buffer) => channel.toString("latin1");
const toBuffer = (name: RedisArgument) => (Buffer.isBuffer(name) ? name : Buffer.from(String(name)));
