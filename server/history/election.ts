import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { OURS_AT_HOME } from "../formats/keys.ts";
import { FORMATS } from "../formats/lock-writer.ts";
import { Requests } from "../locks/verbs/request-factory.ts";
import type { Lead, Store } from "./event-store.ts";

/** Nobody listens there: the recorder's own lock is no part of any target's story. */
const CHANNEL = `${OURS_AT_HOME}recorders`;
const { token } = FORMATS;

/** Who of several instances records a target: the one that holds its lock in the home store. */
export class Election {
  readonly owner = `${hostname()}:${process.pid}:${randomBytes(6).toString("base64url")}`;
  readonly #requests = new Requests();
  #lead: (Lead & { readonly renewedAt: number }) | undefined;

  constructor(
    private readonly home: Store,
    private readonly lock: string,
    private readonly leaseMs: number,
  ) {}

  /** The lead, as long as it is certainly ours. */
  get lead(): Lead | undefined {
    const lead = this.#lead;
    return lead !== undefined && performance.now() < lead.renewedAt + this.leaseMs ? lead : undefined;
  }

  /** Whether we lead now. An answer that was lost is no harm: the same owner enters once more. */
  async campaign(): Promise<boolean> {
    const { owner, leaseMs } = this;
    const sentAt = performance.now();
    const ask = this.#requests.acquire({ owner, leaseMs, reentrant: true });
    const reply = await this.home.call((redis) => token.acquire(redis, CHANNEL, this.lock, ask));
    if (reply.outcome !== "granted" || reply.fence === null) return false;
    this.#lead = { owner, fence: reply.fence, renewedAt: sentAt };
    return this.lead !== undefined;
  }

  /** Whether we still lead. */
  async renew(): Promise<boolean> {
    const { owner, leaseMs, lead } = this;
    if (lead === undefined) return false;
    const sentAt = performance.now();
    const ask = this.#requests.renew({ owner, leaseMs });
    const reply = await this.home.call((redis) => token.renew(redis, CHANNEL, this.lock, ask));
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
    const ask = { ...this.#requests.release({ owner: lead.owner }), fence: lead.fence };
    await this.home.call((redis) => token.release(redis, CHANNEL, this.lock, ask));
  }

  /** Somebody else leads, as we were told. */
  lost(): void {
    this.#lead = undefined;
  }
}
