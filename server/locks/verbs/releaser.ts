import type { Key } from "../../../lib/keys/key.ts";
import { toReaderToken } from "../../formats/kind-keys.ts";
import type { ReleaseRequest, Reservation } from "../../formats/lock-requests.ts";
import { getLockWriter } from "../../formats/registry/lock-writers.ts";
import {
  buildReleaseSignals,
  type FindSignalledLibraries,
  type ReleaseSignals,
} from "../../formats/release-signals.ts";
import { signalReservationEnd } from "../../formats/strings/reservation-end.ts";
import type { Commands } from "../../redis/commands.ts";
import type { WaiterQueues } from "../waiting/waiter-queues.ts";
import { attempt } from "./attempt.ts";
import type { Released, VerbHold } from "./contract/grant.ts";
import type { HoldChangeListener, ReleaseOptions } from "./contract/verbs.ts";
import { createNotOwnerError, createRefusalError } from "./error-factories.ts";
import type { RequestFactory } from "./request-factory.ts";

/** Releases holds, hands locks over to waiters in this process, and signals waiters of other libraries. */
export class Releaser {
  /** See `OperatorVerbs.onHoldChange`. */
  onHoldChange: HoldChangeListener | undefined;

  constructor(
    private readonly redis: Commands,
    private readonly channel: string,
    private readonly queues: WaiterQueues,
    private readonly requests: RequestFactory,
    private readonly findSignalledLibraries: FindSignalledLibraries,
    /** The fair wait time in ms. */
    private readonly fairWaitMs: number,
  ) {}

  /**
   * Releases one count of a hold. If a writer has been downgraded, releases its reader, because the reply to the
   * downgrade may have been lost. A read lock cannot be reserved, so a release with a reservation leaves the reader.
   *
   * @throws LockkeeperError like `RedisLocks.release`
   */
  async release(hold: VerbHold, options: ReleaseOptions): Promise<Released> {
    const released = await this.#releaseHold(hold, options);
    const mayBeReader = hold.kind === "write" && options.reservedMs === undefined;
    if (released.outcome !== "not_held" || !mayBeReader) return released;
    // The writer is gone, so a delayed downgrade does nothing and cannot create the reader later.
    return await this.#releaseHold({ ...hold, kind: "read", token: toReaderToken(hold.token) }, options);
  }

  async #releaseHold(hold: VerbHold, options: ReleaseOptions): Promise<Released> {
    const writer = getLockWriter(hold);
    const { fairWaitMs } = this;
    const request = this.requests.createReleaseRequest(hold, options);
    const ask = { signals: this.#buildSignals(hold), fairWaitMs, ...request };
    const startHandOver = writer.kind === "lock" ? this.#prepareHandOver(ask, hold.key) : undefined;
    const first = startHandOver === undefined ? ask : { wakes: "none" as const, ...ask };
    const pending = attempt(this.redis, (retryMs) =>
      writer.release(this.redis, this.channel, hold.key, retryMs === undefined ? first : { ...ask, retryMs }),
    );
    startHandOver?.();
    const reply = await pending;
    if (reply.outcome === "not_held") return { outcome: "not_held", count: 0, asOf: reply.asOf };
    if (reply.outcome === "released" || reply.outcome === "still_held") {
      if (reply.outcome === "released" && reply.reservation === undefined && !writer.isShared)
        this.onHoldChange?.("released", hold.key, reply.fence);
      if (reply.outcome === "released") this.signalReservationEnd(hold, reply.reservation);
      const { outcome, count, asOf } = reply;
      return { outcome, count, asOf };
    }
    if (reply.outcome === "not_owner") throw createNotOwnerError(hold.key);
    throw createRefusalError(hold.key, hold.format, reply);
  }

  /**
   * Schedules the signals to waiters of other libraries for the time at which the reservation of a `token` lock
   * expires. Has no effect for other formats, or without a reservation.
   */
  signalReservationEnd(
    { key, format }: Pick<VerbHold, "key" | "format">,
    reservation: Reservation | undefined,
  ): void {
    if (format === "token" && reservation !== undefined) signalReservationEnd(this.redis, key, reservation);
  }

  /**
   * Prepares to hand the lock over to a waiter of this process. Returns `undefined` if no waiter of this process can
   * accept the lock, if Redis is not connected, or if the release sends signals or reserves the lock.
   */
  #prepareHandOver({ signals, reservation }: ReleaseRequest, key: Key): (() => void) | undefined {
    const isPlain = signals === undefined && reservation === undefined && this.redis.status === "ready";
    return isPlain ? this.queues.prepareHandOver(key) : undefined;
  }

  #buildSignals({ key, format }: VerbHold): ReleaseSignals | undefined {
    if (format !== "token") return undefined;
    const libraries = this.findSignalledLibraries(key);
    return libraries.length === 0 ? undefined : buildReleaseSignals(this.redis, key, libraries);
  }
}
