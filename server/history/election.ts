import { hostname } from "node:os";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { AcquireRequest } from "../formats/lock-requests.ts";
import { LOCK_WRITERS } from "../formats/lock-writer.ts";
import { RequestFactory } from "../locks/verbs/request-factory.ts";
import type { VerbHold } from "../locks/verbs/verbs.ts";
import type { Leadership, StoreConnection } from "./events/event-store.ts";

/** Nobody listens there: the recorder's own lock is no part of any target's story. */
const CHANNEL = `${HOME_PREFIX}recorders`;
const { token: writer } = LOCK_WRITERS;

/** Who of several instances records a target: the one that holds its lock in the home store. */
export class Election {
  readonly #requests = new RequestFactory();
  /** The hold of this instance, as far as is known: its lease may have run out since. */
  #hold: (Leadership & { readonly renewedAt: number }) | undefined;
  /** An acquire whose answer was lost. It is repeated until there is one, and may hold the lock meanwhile. */
  #unanswered: { readonly ask: AcquireRequest; readonly sentAt: number } | undefined;

  constructor(
    private readonly home: StoreConnection,
    private readonly lock: string,
    private readonly leaseMs: number,
  ) {}

  /** The lead, as long as it is certainly ours. */
  get lead(): Leadership | undefined {
    const hold = this.#hold;
    return hold !== undefined && performance.now() < hold.renewedAt + this.leaseMs ? hold : undefined;
  }

  /** Whether what the lock stores is of this instance. */
  isOwnToken(token: string): boolean {
    return token === this.#hold?.token || token === this.#unanswered?.ask.token;
  }

  /** Tries to lead. A lost answer does no harm: the request is repeated as it was, and a hold that stands is renewed. */
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
    // What a repeated request was granted has run since its first try.
    const renewedAt = reply.how === "repeated" ? sentAt + reply.remainingMs - leaseMs : sentAt;
    this.#hold = { token: reply.token, fence: reply.fence, renewedAt };
    return this.lead !== undefined;
  }

  /** Whether we still lead. */
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

  /** Lets another instance record. */
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

  /** Somebody else leads, as we were told. */
  markLost(): void {
    this.#hold = undefined;
  }

  #toVerbHold({ token, fence }: Leadership): VerbHold {
    return { key: this.lock, format: "token", unit: undefined, token, fence };
  }
}
