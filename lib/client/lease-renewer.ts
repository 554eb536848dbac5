import type { RetryRule } from "./failure-rules.ts";
import type { HoldLease } from "./hold-lease.ts";
import { createIdempotencyKey } from "./idempotency-key.ts";
import { startBackgroundTimer, type Timer } from "./timers.ts";

/** The fraction of the lease after which it is renewed. */
const RENEW_SHARE = 1 / 3;
/** The maximum delay before a failed renewal is repeated; a tenth of the lease if that is shorter. */
const RETRY_MS_MAX = 250;

/** Returns how often a lease is renewed, in whole milliseconds. */
export function computeRenewalIntervalMs(leaseMs: number): number {
  return Math.max(1, Math.round(leaseMs * RENEW_SHARE));
}

/** One attempt to renew. Never rejects; returns the rule for retrying it, or `undefined` after success. */
export type RenewalAttempt = (idempotencyKey: string) => Promise<RetryRule | undefined>;

/** Renews one lease after a third of its length, until it ends or `finish` is called. */
export class LeaseRenewer {
  #timer: Timer | undefined;
  #inFlight: Promise<void> | undefined;
  #isFinished = false;

  constructor(
    private readonly lease: HoldLease,
    private readonly renew: RenewalAttempt,
  ) {
    this.reschedule();
  }

  /** Schedules the next renewal after the deadline has changed. */
  reschedule(): void {
    if (this.#inFlight !== undefined) return;
    const remainingMs = this.lease.remainingMs();
    // A lease can be granted for less than its length, and is then renewed after a third of what is left.
    const delayMs = Math.max(remainingMs - this.lease.leaseMs * (1 - RENEW_SHARE), remainingMs * RENEW_SHARE);
    this.#schedule(delayMs, createIdempotencyKey());
  }

  /** Stops renewing, and resolves once no renewal is in flight. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    clearTimeout(this.#timer);
    await this.#inFlight;
  }

  #schedule(delayMs: number, idempotencyKey: string): void {
    clearTimeout(this.#timer);
    if (this.#isFinished) return;
    this.#timer = startBackgroundTimer(() => {
      if (!this.lease.isCertain) return;
      this.#inFlight = this.#attempt(idempotencyKey);
    }, delayMs);
  }

  async #attempt(idempotencyKey: string): Promise<void> {
    const { leaseMs } = this.lease;
    const rule = await this.renew(idempotencyKey);
    this.#inFlight = undefined;
    if (!this.lease.isCertain) return;
    if (rule === undefined) this.reschedule();
    // The server refused it, for example because the API key has expired. It may accept the next one.
    else if (rule === "never") this.#schedule(computeRenewalIntervalMs(leaseMs), createIdempotencyKey());
    else this.#schedule(Math.min(RETRY_MS_MAX, leaseMs / 10), idempotencyKey);
  }
}
