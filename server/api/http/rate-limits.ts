import { RateLimitedError } from "../../errors/request-errors.ts";
import { getClientNetwork } from "../../network/client-address.ts";
import { CpuBudgets, type CpuRate } from "./cpu-budgets.ts";

/** Requests a second in the long run, and how many may come at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateLimitOptions {
  /** Of one API key or operator; undefined: none. */
  readonly perCaller: Rate | undefined;
  /** Of one address, for requests without valid credentials; undefined: none. */
  readonly perAddress: Rate | undefined;
  /** Processor time of expensive reads of one API key or operator; undefined: no limit. */
  readonly readCpu: CpuRate | undefined;
  /** Every answer tells what is left, not only a refusal. */
  readonly sendsHeaders: boolean;
}

/** Whose requests are counted together. */
type RateLimitSubject = "caller" | "address";

/** As draft-ietf-httpapi-ratelimit-headers-10 writes it: the quota, what is left of it, and until when it is whole. */
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

/** More names than this at once, and those that lack least of their quota begin anew, */
const BUCKETS_MAX = 10_000;
/** so many at a time: to find them, all are looked at. */
const BUCKETS_EVICTED_AT_ONCE = BUCKETS_MAX / 10;

/** How often each caller may ask. Counted in the memory of this instance: two instances give each caller twice as much. */
export class RateLimits {
  readonly sendsHeaders: boolean;
  readonly readCpu: CpuBudgets;
  readonly #callerBuckets: TokenBuckets | undefined;
  readonly #addressBuckets: TokenBuckets | undefined;

  constructor({ perCaller, perAddress, readCpu, sendsHeaders }: RateLimitOptions) {
    this.readCpu = new CpuBudgets(readCpu);
    this.#callerBuckets = perCaller && new TokenBuckets(perCaller, "caller");
    this.#addressBuckets = perAddress && new TokenBuckets(perAddress, "address");
    this.sendsHeaders = sendsHeaders && perCaller !== undefined;
  }

  /** @throws LockkeeperError rate_limited */
  consumeForCaller(caller: string): void {
    this.#callerBuckets?.consume(caller);
  }

  /** @throws LockkeeperError rate_limited */
  consumeForAddress(address: string | undefined): void {
    this.#addressBuckets?.consume(getClientNetwork(address ?? ""));
  }

  buildHeaders(caller: string): Record<string, string> {
    return this.#callerBuckets?.buildHeaders(caller) ?? {};
  }
}

/** Token buckets, each as the one moment at which it will be full again. */
class TokenBuckets {
  readonly #fullAt = new Map<string, number>();
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(
    private readonly rate: Rate,
    private readonly per: RateLimitSubject,
  ) {
    this.#eachMs = 1000 / rate.perSecond;
    this.#burstMs = this.#eachMs * rate.burst;
  }

  consume(name: string): void {
    const now = performance.now();
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? 0) + this.#eachMs;
    const overMs = fullAt - now - this.#burstMs;
    // A rounding error is not held against anybody.
    if (overMs > 1e-6) throw this.#createError(overMs);
    this.#fullAt.set(name, fullAt);
    if (this.#fullAt.size > BUCKETS_MAX) this.#evict(now);
  }

  buildHeaders(name: string): Record<string, string> {
    const missingMs = Math.max(0, (this.#fullAt.get(name) ?? 0) - performance.now());
    const left = Math.floor((this.#burstMs - missingMs) / this.#eachMs + 1e-6);
    return buildRateLimitHeaders(this.rate, this.per, left, missingMs);
  }

  #createError(remainingMs: number): RateLimitedError {
    const { perSecond, burst } = this.rate;
    const whose = this.per === "caller" ? "One caller" : "One address without valid credentials";
    return new RateLimitedError(
      `${whose} may send ${perSecond} requests per second, ${burst} at once. Nothing was done. Retry later.`,
      { remainingMs: Math.ceil(remainingMs), perSecond, burst, per: this.per },
    );
  }

  #evict(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name);
    if (this.#fullAt.size <= BUCKETS_MAX) return;
    const soonestFull = [...this.#fullAt].sort(([, a], [, b]) => a - b).slice(0, BUCKETS_EVICTED_AT_ONCE);
    for (const [name] of soonestFull) this.#fullAt.delete(name);
  }
}
