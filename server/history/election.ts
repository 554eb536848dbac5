import { hostname } from "node:os";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { AcquireRequest } from "../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../formats/lock-writer.ts";
import type { VerbHold } from "../locks/verbs/contract/grant.ts";
import { RequestFactory } from "../locks/verbs/request-factory.ts";
import type { Leadership, StoreConnection } from "./events/event-store.ts";

/**
 * Channel for the script events of the recorder's lock. The channel has no subscribers, because the lock does not
 * belong to a target.
 */
const CHANNEL = `${HOME_PREFIX}recorders`;
const { token: writer } = LOCK_WRITERS;

/**
 * Elects the instance that records the events of a target. The leader is the instance that holds a lock in the home
 * store.
 */
export class Election {
  readonly #requests = new RequestFactory();
  /** This instance's last known hold on the lock. The lease may have expired. */
  #hold: (Leadership & { readonly renewedAt: number }) | undefined;
  /**
   * An acquire request that has had no reply. It is repeated until a reply arrives, because it may have acquired the
   * lock.
   */
  #unanswered: { readonly ask: AcquireRequest; readonly sentAt: number } | undefined;

  constructor(
    private readonly home: StoreConnection,
    private readonly lock: string,
    private readonly leaseMs: number,
  ) {}

  /**
   * The hold that makes this instance the leader. `undefined` if this instance has no hold or its lease may have
   * expired.
   */
  get lead(): Leadership | undefined {
    const hold = this.#hold;
    return hold !== undefined && performance.now() < hold.renewedAt + this.leaseMs ? hold : undefined;
  }

  /** Returns whether a token of the lock belongs to this instance. */
  isOwnToken(token: string): boolean {
    return token === this.#hold?.token || token === this.#unanswered?.ask.token;
  }

  /**
   * Tries to become the leader. Renews an existing hold, repeats a request that has had no reply, or sends a new
   * request. Returns whether this instance is the leader.
   */
  async campaign(): Promise<boolean> {
    if (this.#hold !== undefined && (await this.#renewHold(this.#hold))) return true;
    const { leaseMs } = this;
    const owner = `${hostname()}:${process.pid}`;
    const sentAt = performance.now();
    const first = this.#unanswered;
    const ask = first?.ask ?? this.#requests.createAcquireRequest({ owner, leaseMs });
    this.#unanswered = first ?? { ask, sentAt };
    const retryMs = first && Math.ceil(sentAt - first.sentAt);
    const reply = await this.home.callOnce((redis) =>
      writer.acquire(redis, CHANNEL, this.lock, { ...ask, retryMs }),
    );
    this.#unanswered = undefined;
    if (reply.outcome !== "granted") return false;
    // The lease of a repeated request started with the first attempt.
    const renewedAt = reply.how === "repeated" ? sentAt + reply.remainingMs - leaseMs : sentAt;
    this.#hold = { token: reply.token, fence: reply.fence, renewedAt };
    return this.lead !== undefined;
  }

  /** Renews the lease. @returns whether this instance is still the leader */
  async renew(): Promise<boolean> {
    return this.lead !== undefined && this.#hold !== undefined && (await this.#renewHold(this.#hold));
  }

  async #renewHold(hold: Leadership): Promise<boolean> {
    const sentAt = performance.now();
    const ask = this.#requests.createRenewRequest("renew", this.#toVerbHold(hold), { leaseMs: this.leaseMs });
    const reply = await this.home.callOnce((redis) => writer.renew(redis, CHANNEL, this.lock, ask));
    this.#hold = reply.outcome === "granted" ? { ...hold, renewedAt: sentAt } : undefined;
    return this.lead !== undefined;
  }

  /**
   * Releases the lock, so that another instance can become the leader. Also ends a hold that an acquire request without
   * a reply may have acquired.
   */
  async resign(): Promise<void> {
    const [hold, unanswered] = [this.#hold, this.#unanswered];
    this.#hold = undefined;
    this.#unanswered = undefined;
    const ask =
      hold !== undefined
        ? this.#requests.createReleaseRequest(this.#toVerbHold(hold))
        : unanswered && this.#requests.createAbandonRequest(unanswered.ask);
    if (ask === undefined) return;
    await this.home.callOnce((redis) => writer.release(redis, CHANNEL, this.lock, ask));
  }

  #toVerbHold({ token, fence }: Leadership): VerbHold {
    return { key: this.lock, format: "token", unit: undefined, token, fence };
  }
}
