import { getCurrentMoment } from "../../../lib/client/moment.ts";
import { withTimeout } from "../../concurrency/with-timeout.ts";
import { createHoldLostError, type HoldLease } from "./hold-lease.ts";

const RENEW_SHARE = 1 / 3;
const BATCH_SIZE = 100;
/** Maximum delay before a failed renewal is retried, in ms. For a short lease, the delay is a tenth of the lease. */
const RETRY_MS = 250;
/** Maximum share of a lease by which its renewal is brought forward, to be sent together with renewals that are due. */
const BATCH_AHEAD_SHARE = 0.1;
/** Maximum duration of an attempt as a share of the lease. At least three attempts fit before the deadline. */
const TRY_SHARE = 1 / 6;
const TRY_MS_MIN = 50;

/** Returns the interval at which the watchdog renews a lease: a third of the lease, in whole milliseconds. */
export function computeRenewalIntervalMs(leaseMs: number): number {
  return Math.round(leaseMs * RENEW_SHARE);
}

/**
 * Renews each lease of a client when a third of it has passed. Uses a single timer, and renews up to 100 leases per
 * batch. Uses a separate connection, because other requests could delay a renewal. Continues after errors. Does not
 * renew a lease whose final release has begun, or whose deadline has passed.
 */
export class Watchdog {
  readonly #dueAt = new Map<HoldLease, number>();
  readonly #inFlight = new Map<HoldLease, Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #renewAllAt = Number.NEGATIVE_INFINITY;

  constructor(
    /**
     * Returns the remaining time of each lease in ms. The time is `null` if the hold has ended, and `undefined` if the
     * outcome is unknown.
     */
    private readonly renewMany: (
      leases: readonly HoldLease[],
      tryMs: number,
    ) => Promise<(number | null | undefined)[]>,
  ) {}

  watch(lease: HoldLease): void {
    this.#schedule(lease, lease.remainingMs() - lease.leaseMs * (1 - RENEW_SHARE));
  }

  /** Schedules a lease again after its deadline has changed. Has no effect if the lease is not watched. */
  reschedule(lease: HoldLease): void {
    if (this.#dueAt.has(lease)) this.watch(lease);
  }

  /** Whether the watchdog renews the lease, or a renewal of the lease is in progress. */
  isWatching(lease: HoldLease): boolean {
    return this.#dueAt.has(lease) || this.#inFlight.has(lease);
  }

  /**
   * Cancels the scheduled renewal of the lease. A renewal that is in progress continues, and can schedule the next
   * renewal.
   */
  forget(lease: HoldLease): void {
    this.#dueAt.delete(lease);
  }

  /** Resolves once no renewal of the lease is in progress. */
  async finishRenewal(lease: HoldLease): Promise<void> {
    await this.#inFlight.get(lease);
  }

  /** Renews all leases immediately. Used when messages about holds may have been missed. */
  renewAll(): void {
    this.#renewAllAt = performance.now();
    for (const lease of this.#dueAt.keys()) this.#schedule(lease, 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueAt.clear();
  }

  #schedule(lease: HoldLease, inMs: number): void {
    const at = performance.now() + Math.max(0, inMs);
    this.#dueAt.set(lease, at);
    if (at < this.#timerAt) this.#armTimer(at);
  }

  #armTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#renewDue(), Math.max(0, Math.ceil(at - performance.now())));
    this.#timer.unref();
  }

  #renewDue(): void {
    const now = performance.now();
    const due: HoldLease[] = [];
    let next = Number.POSITIVE_INFINITY;
    let isAnyDue = false;
    for (const [lease, at] of this.#dueAt) {
      if (at <= now) isAnyDue = true;
      if (at <= now + lease.leaseMs * BATCH_AHEAD_SHARE) due.push(lease);
      else next = Math.min(next, at);
    }
    this.#timerAt = Number.POSITIVE_INFINITY;
    // Reading the state detects a deadline that has passed. Such a lease is not renewed.
    if (isAnyDue) this.#renew(due.filter(isRenewable));
    else for (const lease of due) next = Math.min(next, this.#dueAt.get(lease) ?? next);
    if (next < this.#timerAt) this.#armTimer(next);
  }

  #renew(due: readonly HoldLease[]): void {
    for (let at = 0; at < due.length; at += BATCH_SIZE) {
      const batch = due.slice(at, at + BATCH_SIZE);
      for (const lease of batch) this.#dueAt.delete(lease);
      const renewal = this.#renewBatch(batch).finally(() => {
        for (const lease of batch) this.#inFlight.delete(lease);
      });
      for (const lease of batch) this.#inFlight.set(lease, renewal);
    }
  }

  async #renewBatch(batch: readonly HoldLease[]): Promise<void> {
    const sentAt = getCurrentMoment();
    const isOutdated = () => this.#renewAllAt >= sentAt.monotonic;
    const shortest = Math.min(...batch.map(({ leaseMs }) => leaseMs));
    try {
      const tryMs = Math.max(TRY_MS_MIN, shortest * TRY_SHARE);
      // Limits of the same length end in the order in which they were set, so pending calls report their progress before
      // this timeout.
      const remaining = await withTimeout(tryMs, this.renewMany(batch, tryMs));
      batch.forEach((lease, index) => {
        const remainingMs = remaining[index];
        if (remainingMs === undefined) this.#retry(lease);
        else if (remainingMs === null) lease.markLost(createGoneError(lease));
        else lease.applyRenewal(sentAt, remainingMs);
        if (remainingMs !== undefined) this.#continue(lease, isOutdated() ? 0 : lease.leaseMs * RENEW_SHARE);
      });
    } catch {
      for (const lease of batch) this.#retry(lease);
    }
  }

  #retry(lease: HoldLease): void {
    lease.markInJeopardy();
    this.#continue(lease, Math.min(RETRY_MS, lease.leaseMs / 10));
  }

  #continue(lease: HoldLease, inMs: number): void {
    if (isRenewable(lease)) this.#schedule(lease, inMs);
  }
}

function createGoneError(lease: HoldLease) {
  return createHoldLostError(lease, "it was released elsewhere, or its lease ended in Redis");
}

function isRenewable({ state }: HoldLease): boolean {
  return state === "held" || state === "jeopardy";
}
