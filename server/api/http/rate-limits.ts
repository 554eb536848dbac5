import { RateLimitedError } from "../../errors/request-errors.ts";
import { getClientNetwork } from "../../network/client-address.ts";
import { CpuBudgets, type CpuRate } from "./cpu-budgets.ts";

/** A limit on requests: the average number per second and the maximum burst. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateLimitOptions {
  /** Limit per API key or operator. `undefined` for no limit. */
  readonly perCaller: Rate | undefined;
  /** Limit per client address for requests without valid credentials. `undefined` for no limit. */
  readonly perAddress: Rate | undefined;
  /** Limit on the CPU time for expensive reads per API key or operator. `undefined` for no limit. */
  readonly readCpu: CpuRate | undefined;
  /** Whether to send the rate limit headers with every response, instead of only with `rate_limited` errors. */
  readonly sendsHeaders: boolean;
}

/** What a limit applies to: an authenticated caller or a client address. */
type RateLimitSubject = "caller" | "address";

/**
 * Builds the headers of draft-ietf-httpapi-ratelimit-headers-10: the quota, the remaining requests, and the seconds
 * until the quota is full again.
 */
export function buildRateLimitHeaders(
  { perSecond, burst }: Rate,
  per: RateLimitSubject,
  left: number,
  wholeInMs: number,
): Record<string, string> {
  return {
    "ratelimit-policy": `"${per}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    ratelimit: `"${per}";r=${left};t=${Math.ceil(wholeInMs / 1000)}`,
  };
}

/** Limit per caller on own changes (see `Route.isOwnChange`). */
const OWN_CHANGES: Rate = { perSecond: 2, burst: 100 };
/** Limit per operator on logins with a correct password, each of which adds entries to the audit log. */
const LOGINS: Rate = { perSecond: 0.5, burst: 50 };

/** Maximum number of buckets. Beyond it, the fullest buckets are evicted. */
const BUCKETS_MAX = 10_000;
/** Number of buckets to evict at once. Finding the fullest buckets requires a pass over all buckets. */
const BUCKETS_EVICTED_AT_ONCE = BUCKETS_MAX / 10;

/**
 * Limits the request rate per caller and per IP address. Each Lockkeeper instance counts separately, so two instances
 * permit twice the rate.
 */
export class RateLimits {
  readonly sendsHeaders: boolean;
  readonly readCpu: CpuBudgets;
  readonly #callerBuckets: TokenBuckets | undefined;
  readonly #addressBuckets: TokenBuckets | undefined;
  readonly #ownChangeBuckets = new TokenBuckets(OWN_CHANGES, createOwnChangeError);
  readonly #loginBuckets = new TokenBuckets(LOGINS, createLoginError);

  constructor({ perCaller, perAddress, readCpu, sendsHeaders }: RateLimitOptions) {
    this.readCpu = new CpuBudgets(readCpu);
    this.#callerBuckets = perCaller && new TokenBuckets(perCaller, createCallerError);
    this.#addressBuckets = perAddress && new TokenBuckets(perAddress, createAddressError);
    this.sendsHeaders = sendsHeaders && perCaller !== undefined;
  }

  /** Counts a request against the rate limit of its caller. @throws LockkeeperError rate_limited */
  consumeForCaller(caller: string): void {
    this.#callerBuckets?.consume(caller);
  }

  /**
   * Counts additional requests for a call that costs as much as several requests. The number is capped at the burst
   * minus one, so that no call is refused for its size alone.
   *
   * @throws LockkeeperError rate_limited
   */
  consumeMoreForCaller(caller: string, requests: number): void {
    this.#callerBuckets?.consume(caller, Math.min(requests, this.#callerBuckets.rate.burst - 1));
  }

  /** Counts an own change (see `Route.isOwnChange`). @throws LockkeeperError rate_limited */
  consumeForOwnChange(caller: string): void {
    this.#ownChangeBuckets.consume(caller);
  }

  /**
   * Counts a login with a correct password. Do not call it for failed logins, so that only the operator can exhaust the
   * limit.
   *
   * @throws LockkeeperError rate_limited
   */
  consumeForLogin(operator: string): void {
    this.#loginBuckets.consume(operator);
  }

  /** Counts a request from a client address, or from its /64 network for IPv6. @throws LockkeeperError rate_limited */
  consumeForAddress(address: string | undefined): void {
    this.#addressBuckets?.consume(getClientNetwork(address ?? ""));
  }

  buildHeaders(caller: string): Record<string, string> {
    const buckets = this.#callerBuckets;
    if (buckets === undefined) return {};
    const { left, missingMs } = buckets.getState(caller);
    return buildRateLimitHeaders(buckets.rate, "caller", left, missingMs);
  }
}

type CreateError = (rate: Rate, remainingMs: number) => RateLimitedError;

const createRequestError =
  (per: RateLimitSubject, whose: string): CreateError =>
  ({ perSecond, burst }, remainingMs) =>
    new RateLimitedError(
      `${whose} is limited to ${perSecond} requests per second, with bursts of ${burst}. Nothing was done. Retry later.`,
      { remainingMs, perSecond, burst, per },
    );

const createCallerError = createRequestError("caller", "Each caller");
const createAddressError = createRequestError("address", "Each address without valid credentials");

const createOwnChangeError: CreateError = ({ perSecond, burst }, remainingMs) =>
  new RateLimitedError(
    `Without admin access to all targets, each caller is limited to ${perSecond} changes of views, sessions, passwords and answers per second, with bursts of ${burst}. Nothing was done. Retry later.`,
    { remainingMs },
  );

const createLoginError: CreateError = ({ perSecond, burst }, remainingMs) =>
  new RateLimitedError(
    `Each operator is limited to one login with a password every ${1 / perSecond} s, with bursts of ${burst}. You were not logged in. Retry later.`,
    { remainingMs },
  );

/**
 * Token buckets by name. For each bucket, only the time at which it will be full is stored (`performance.now()` in ms).
 */
class TokenBuckets {
  readonly #fullAt = new Map<string, number>();
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(
    readonly rate: Rate,
    private readonly createError: CreateError,
  ) {
    this.#eachMs = 1000 / rate.perSecond;
    this.#burstMs = this.#eachMs * rate.burst;
  }

  consume(name: string, requests = 1): void {
    const now = performance.now();
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? 0) + requests * this.#eachMs;
    const overMs = fullAt - now - this.#burstMs;
    // Tolerates floating-point errors.
    if (overMs > 1e-6) throw this.createError(this.rate, Math.ceil(overMs));
    this.#fullAt.set(name, fullAt);
    if (this.#fullAt.size > BUCKETS_MAX) this.#evict(now);
  }

  /** Returns how many requests the bucket still permits, and the time in ms until it is full. */
  getState(name: string): { readonly left: number; readonly missingMs: number } {
    const missingMs = Math.max(0, (this.#fullAt.get(name) ?? 0) - performance.now());
    return { left: Math.floor((this.#burstMs - missingMs) / this.#eachMs + 1e-6), missingMs };
  }

  #evict(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name);
    if (this.#fullAt.size <= BUCKETS_MAX) return;
    const soonestFull = [...this.#fullAt].sort(([, a], [, b]) => a - b).slice(0, BUCKETS_EVICTED_AT_ONCE);
    for (const [name] of soonestFull) this.#fullAt.delete(name);
  }
}
