import { EventEmitter } from "node:events";
import type { Subscriber } from "../../redis/commands.ts";
import { majorityOf } from "../../redis/majority.ts";

type One = Pick<Subscriber, "subscribe" | "unsubscribe" | "on">;

/**
 * Hears wake-ups at all masters, and passes one on when a majority has told of it: the lock can be free only then.
 * Votes that one of those who wait gives back at a minority wake nobody, least of all itself.
 */
export class QuorumSubscriber extends EventEmitter implements Subscriber {
  readonly #heardAt = new Map<string, Set<One>>();
  readonly #majority: number;

  constructor(private readonly masters: readonly One[]) {
    super();
    this.#majority = majorityOf(masters.length);
    for (const master of masters) {
      master.on("messageBuffer", (channel) => this.#hear(master, channel));
      master.on("ready", () => this.emit("ready"));
    }
  }

  /** Resolves when a majority is listened to; rejects when that cannot be. */
  subscribe(channel: Buffer): Promise<unknown> {
    const id = channel.toString("latin1");
    if (!this.#heardAt.has(id)) this.#heardAt.set(id, new Set());
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
    this.#heardAt.delete(channel.toString("latin1"));
    return await Promise.allSettled(this.masters.map((master) => master.unsubscribe(channel)));
  }

  #hear(master: One, channel: Buffer): void {
    const heard = this.#heardAt.get(channel.toString("latin1"));
    if (heard === undefined) return;
    heard.add(master);
    if (heard.size < this.#majority) return;
    heard.clear();
    this.emit("messageBuffer", channel);
  }
}
