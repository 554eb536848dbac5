import { EventEmitter } from "node:events";
import type { Subscriber } from "../../redis/commands.ts";
import { computeMajority } from "../../redis/majority.ts";
import { isWakeUp } from "../verbs/key-endings.ts";

type MasterSubscriber = Pick<Subscriber, "subscribe" | "unsubscribe" | "on">;

/**
 * Hears wake-ups at all masters, and passes one on when a majority has told of it: the lock can be free only then.
 * Votes that one of those who wait gives back at a minority wake nobody, least of all itself.
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

  /** Resolves when a majority is listened to; rejects when that cannot be. */
  subscribe(channel: Buffer): Promise<unknown> {
    const id = channel.toString("latin1");
    if (!this.#notifiedBy.has(id)) this.#notifiedBy.set(id, new Set());
    return new Promise((resolve, reject) => {
      let heard = 0;
      let failed = 0;
      for (const master of this.masters) {
        master.subscribe(channel).then(
          () => ++heard === this.#majority && resolve(undefined),
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
    const heard = this.#notifiedBy.get(channel.toString("latin1"));
    if (heard === undefined) return;
    heard.add(master);
    if (heard.size < this.#majority) return;
    heard.clear();
    this.emit("messageBuffer", channel, message);
  }
}
