import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { HOME_PREFIX } from "../formats/keys.ts";
import { LOCK_WRITERS } from "../formats/lock-writer.ts";
import { RequestFactory } from "../locks/verbs/request-factory.ts";
import type { Leadership, StoreConnection } from "./event-store.ts";

/** Nobody listens there: the recorder's own lock is no part of any target's story. */
const CHANNEL = `${HOME_PREFIX}recorders`;
const { token } = LOCK_WRITERS;

/** Who of several instances records a target: the one that holds its lock in the home store. */
export class Election {
  readonly owner = `${hostname()}:${process.pid}:${randomBytes(6).toString("base64url")}`;
  readonly #requests = new RequestFactory();
  #lead: (Leadership & { readonly renewedAt: number }) | undefined;

  constructor(
    private readonly home: StoreConnection,
    private readonly lock: string,
    private readonly leaseMs: number,
  ) {}

  /** The lead, as long as it is certainly ours. */
  get lead(): Leadership | undefined {
    const lead = this.#lead;
    return lead !== undefined && performance.now() < lead.renewedAt + this.leaseMs ? lead : undefined;
  }

  /** Whether we lead now. An answer that was lost is no harm: the same owner enters once more. */
  async campaign(): Promise<boolean> {
    const { owner, leaseMs } = this;
    const sentAt = performance.now();
    const ask = this.#requests.createAcquireRequest({ owner, leaseMs, reentrant: true });
    const reply = await this.home.callOnce((redis) => token.acquire(redis, CHANNEL, this.lock, ask));
    if (reply.outcome !== "granted" || reply.fence === null) return false;
    this.#lead = { owner, fence: reply.fence, renewedAt: sentAt };
    return this.lead !== undefined;
  }

  /** Whether we still lead. */
  async renew(): Promise<boolean> {
    const { owner, leaseMs, lead } = this;
    if (lead === undefined) return false;
    const sentAt = performance.now();
    const ask = this.#requests.createRenewRequest({ owner, leaseMs });
    const reply = await this.home.callOnce((redis) => token.renew(redis, CHANNEL, this.lock, ask));
    if (reply.outcome === "granted" && reply.fence === lead.fence)
      this.#lead = { ...lead, renewedAt: sentAt };
    else this.#lead = undefined;
    return this.lead !== undefined;
  }

  /** Lets another instance record. */
  async resign(): Promise<void> {
    const lead = this.#lead;
    this.#lead = undefined;
    if (lead === undefined) return;
    const ask = { ...this.#requests.createReleaseRequest({ owner: lead.owner }), fence: lead.fence };
    await this.home.callOnce((redis) => token.release(redis, CHANNEL, this.lock, ask));
  }

  /** Somebody else leads, as we were told. */
  markLost(): void {
    this.#lead = undefined;
  }
}
