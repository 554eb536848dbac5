import type { HoldLease } from "./hold-lease.ts";
import { startBackgroundTimer, type Timer } from "./timers.ts";

/** Fraction of the lease after which the lease is renewed. */
const RENEW_SHARE = 1 / 3;
/** Maximum delay in ms before a failed renewal is retried. For short leases, the delay is a tenth of the lease. */
const RETRY_MS_MAX = 250;
/** Maximum number of leases in one request. */
const REQUEST_LEASES_MAX = 1000;
/**
 * Maximum ratio of the longest to the shortest lease in one request. The ratio is limited because all leases in a
 * request share one time limit.
 */
const LENGTH_RATIO_MAX = 4;

/**
 * The outcome of a renewal. `failed`: the renewal is retried after at most 250 ms. `refused`: the renewal is retried
 * after another third of the lease, because the server might accept it then.
 */
export type RenewalOutcome = "renewed" | "failed" | "refused";

/**
 * Renews the leases with one request and applies the results to them. Resolves to one outcome per lease, in the same
 * order as the leases. A rejection indicates a bug.
 */
export type RenewLeases = (leases: readonly HoldLease[]) => Promise<readonly RenewalOutcome[]>;

/** Returns the interval between renewals of a lease, in whole milliseconds. */
export function computeRenewalIntervalMs(leaseMs: number): number {
  return Math.max(1, Math.round(leaseMs * RENEW_SHARE));
}

/**
 * Renews a client's leases automatically with one timer, each lease after a third of its duration. When a lease is due,
 * the leases that become due within a third of the shortest lease are renewed with it, so leases of equal duration are
 * renewed together. One request renews up to 1,000 leases of similar duration. A lease is not renewed after its
 * deadline or after its hold was released.
 */
export class LeaseRenewer {
  readonly #dueAt = new Map<HoldLease, number>();
  readonly #inFlight = new Map<HoldLease, Promise<void>>();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  readonly #renew: RenewLeases;

  constructor(renew: RenewLeases) {
    this.#renew = renew;
  }

  add(lease: HoldLease): void {
    const remainingMs = lease.remainingMs();
    // A grant can have less time left than the full lease. The lease is then renewed after a third of the remaining
    // time.
    this.#schedule(
      lease,
      Math.max(remainingMs - lease.leaseMs * (1 - RENEW_SHARE), remainingMs * RENEW_SHARE),
    );
  }

  /** Reschedules the next renewal of a lease whose deadline has changed. Has no effect if no renewal is scheduled. */
  reschedule(lease: HoldLease): void {
    if (this.#dueAt.has(lease)) this.add(lease);
  }

  /** Cancels the scheduled renewal of the lease. Does not cancel a renewal in flight. */
  remove(lease: HoldLease): void {
    this.#dueAt.delete(lease);
  }

  /** Cancels the scheduled renewal of the lease. Resolves when the renewal in flight, if any, is complete. */
  async finish(lease: HoldLease): Promise<void> {
    this.remove(lease);
    await this.#inFlight.get(lease);
  }

  #schedule(lease: HoldLease, delayMs: number): void {
    const at = performance.now() + delayMs;
    this.#dueAt.set(lease, at);
    if (at < this.#timerAt) this.#armTimer(at);
  }

  #armTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = startBackgroundTimer(() => this.#renewDue(), at - performance.now());
  }

  #renewDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let [next, shortestMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    let isRetry = true;
    for (const [lease, at] of this.#dueAt) {
      // Reading `isCertain` also detects a deadline that has passed.
      if (!lease.isCertain) {
        this.#dueAt.delete(lease);
        continue;
      }
      next = Math.min(next, at);
      shortestMs = Math.min(shortestMs, lease.leaseMs);
      if (at <= now && lease.state === "held") isRetry = false;
    }
    // If only retries are due, renews few other leases with them. Otherwise, a hold that cannot be renewed would cause
    // frequent renewals of all other leases.
    const aheadMs = isRetry ? computeRetryDelayMs(shortestMs) : shortestMs * RENEW_SHARE;
    if (next <= now) next = this.#renewUntil(now + aheadMs);
    if (next < this.#timerAt) this.#armTimer(next);
  }

  /** Renews the leases that are due by `until`. Returns the earliest time at which one of the other leases is due. */
  #renewUntil(until: number): number {
    const due: HoldLease[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [lease, at] of this.#dueAt) {
      if (at <= until) due.push(lease);
      else next = Math.min(next, at);
    }
    for (const leases of splitByLength(due)) this.#send(leases);
    return next;
  }

  #send(leases: readonly HoldLease[]): void {
    for (const lease of leases) this.#dueAt.delete(lease);
    const sent = this.#renew(leases).then((outcomes) => {
      for (const [at, lease] of leases.entries()) {
        this.#inFlight.delete(lease);
        if (lease.isCertain) this.#continue(lease, outcomes[at] ?? "failed");
      }
    });
    for (const lease of leases) this.#inFlight.set(lease, sent);
  }

  #continue(lease: HoldLease, outcome: RenewalOutcome): void {
    const { leaseMs } = lease;
    if (outcome === "renewed") this.add(lease);
    else if (outcome === "refused") this.#schedule(lease, computeRenewalIntervalMs(leaseMs));
    else this.#schedule(lease, computeRetryDelayMs(leaseMs));
  }
}

function computeRetryDelayMs(leaseMs: number): number {
  return Math.min(RETRY_MS_MAX, leaseMs / 10);
}

/** Splits leases into groups of similar duration, one group per request. */
function splitByLength(leases: readonly HoldLease[]): HoldLease[][] {
  const requests: HoldLease[][] = [];
  let [request, shortestMs]: [HoldLease[], number] = [[], 0];
  for (const lease of leases.toSorted((one, two) => one.leaseMs - two.leaseMs)) {
    if (
      request.length === 0 ||
      request.length === REQUEST_LEASES_MAX ||
      lease.leaseMs > shortestMs * LENGTH_RATIO_MAX
    ) {
      request = [];
      shortestMs = lease.leaseMs;
      requests.push(request);
    }
    request.push(lease);
  }
  return requests;
}
