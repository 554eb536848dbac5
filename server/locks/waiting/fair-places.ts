import type { Key } from "../../../lib/keys/key.ts";
import type { StopWaitingReply } from "../../formats/script-replies.ts";
import { leaveFairQueue, type QueueDeparture } from "../../formats/stop-waiting.ts";
import type { Commands } from "../../redis/commands.ts";
import { type HeldOutcome, WaitCancellation } from "./wait-stop.ts";
import type { WaiterQueues } from "./waiter-queues.ts";

/** A waiter that leaves the queue of a fair lock. */
export type FairDeparture = Omit<QueueDeparture, "isKept" | "fairWaitMs">;

/** Runs a script repeatedly until Redis replies, within a time limit. */
export type Retry = <Reply>(call: () => Promise<Reply>) => Promise<Reply>;

/**
 * Ends the waits of clients in the queues of fair locks. Keeps the place of a client that may return. If the client's
 * turn comes before the client returns, this process removes the client from the queue, which wakes the next waiter.
 */
export class FairPlaces {
  readonly #keptPlaces = new Map<string, WaitCancellation>();

  constructor(
    private readonly redis: Commands,
    private readonly channel: string,
    private readonly queues: WaiterQueues,
    /** The fair wait time in ms. */
    readonly fairWaitMs: number,
    private readonly retry: Retry,
  ) {}

  /** Stops watching the place of a client that has returned. The client now renews the place itself. */
  reclaim(key: Key, waiterId: string): void {
    this.#keptPlaces.get(toName(key, waiterId))?.end("superseded");
  }

  /**
   * Leaves the queue immediately if `keepMs` is 0. Otherwise keeps the place for up to `keepMs`. A failure is harmless:
   * a waiter without a heartbeat is removed when its turn comes.
   */
  async leave(key: Key, waiter: FairDeparture): Promise<void> {
    const stop = new WaitCancellation(Math.max(1, waiter.keepMs), undefined);
    const name = toName(key, waiter.waiterId);
    this.reclaim(key, waiter.waiterId);
    this.#keptPlaces.set(name, stop);
    try {
      const reply = await this.#leave(key, waiter, false);
      if (reply.outcome === "kept") await this.#watchPlace(key, waiter, reply, stop);
    } catch {
      // Ignores errors, which are harmless: see above.
    } finally {
      stop.dispose();
      if (this.#keptPlaces.get(name) === stop) this.#keptPlaces.delete(name);
    }
  }

  async #watchPlace(
    key: Key,
    waiter: FairDeparture,
    kept: StopWaitingReply,
    stop: WaitCancellation,
  ): Promise<void> {
    const { waiterId: fairWaiter, sinceMs } = waiter;
    let reply = kept;
    const place = this.queues.enqueue(key, sinceMs ?? kept.asOf, toOutcome(reply), { fairWaiter });
    try {
      while (reply.outcome === "kept") {
        await place.awaitTurn(stop);
        reply = await this.#leave(key, waiter, true);
        place.sleepAfter(toOutcome(reply));
      }
    } catch (error) {
      if (error !== stop) throw error;
      if (stop.ending === "timed_out") await this.#leave(key, { ...waiter, keepMs: 0 }, true);
    } finally {
      place.leave();
    }
  }

  #leave(key: Key, waiter: FairDeparture, isKept: boolean): Promise<StopWaitingReply> {
    const departure = { ...waiter, isKept, fairWaitMs: this.fairWaitMs };
    return this.retry(() => leaveFairQueue(this.redis, this.channel, key, departure));
  }
}

const toName = (key: Key, waiterId: string) => `${waiterId}\n${key}`;

function toOutcome(reply: StopWaitingReply): HeldOutcome {
  return {
    heldMs: reply.outcome === "kept" ? reply.remainingMs : null,
    asOf: reply.asOf,
    toError() {
      throw new Error("A kept place reports no refusal");
    },
  };
}
