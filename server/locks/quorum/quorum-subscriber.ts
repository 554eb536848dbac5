import { EventEmitter } from "node:events";
import type { Subscriber } from "../../redis/commands.ts";
import { computeMajority } from "../../redis/majority.ts";
import { isWakeUp } from "../waiting/key-endings.ts";

type MasterSubscriber = Pick<Subscriber, "subscribe" | "unsubscribe" | "on">;

/**
 * Subscribes to wake-ups on all masters. Forwards a wake-up once a majority has published it, because the lock cannot
 * be free earlier. If a waiter releases votes on a minority of the masters, no client is woken, not even that waiter.
 */
export class QuorumSubscriber extends EventEmitter implements Subscriber {
  readonly #notifiedBy = new Map<string, Set<MasterSubscriber>>();
  readonly #majority: number;

  constructor(private readonly masters: readonly MasterSubscriber[]) {
    super();
    this.#majority = computeMajority(masters.length);
    for (const master of masters) {
      master.on("messageBuffer", (channel, message) => {
        if (isWakeUp(channel, message)) this.#onMessage(master, channel, message);
      });
      master.on("ready", () => this.emit("ready"));
    }
  }

  /**
   * Subscribes to a channel on all masters. Resolves when a majority has confirmed the subscription, and rejects when
   * no majority can confirm it anymore.
   */
  subscribe(channel: Buffer): Promise<unknown> {
    const id = channel.toString("latin1");
    if (!this.#notifiedBy.has(id)) this.#notifiedBy.set(id, new Set());
    return new Promise((resolve, reject) => {
      let published = 0;
      let failed = 0;
      for (const master of this.masters) {
        master.subscribe(channel).then(
          () => ++published === this.#majority && resolve(undefined),
          (error) => ++failed > this.masters.length - this.#majority && reject(error),
        );
      }
    });
  }

  async unsubscribe(channel: Buffer): Promise<unknown> {
    this.#notifiedBy.delete(channel.toString("latin1"));
    return await Promise.allSettled(this.masters.map((master) => master.unsubscribe(channel)));
  }

  #onMessage(master: MasterSubscriber, channel: Buffer, message: Buffer): void {
    const published = this.#notifiedBy.get(channel.toString("latin1"));
    if (published === undefined) return;
    published.add(master);
    if (published.size < this.#majority) return;
    published.clear();
    this.emit("messageBuffer", channel, message);
  }
}
