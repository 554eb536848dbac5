import { RateLimitedError } from "../../errors/request-errors.ts";
import { networkOf } from "../../network/client-address.ts";

/** Requests a second in the long run, and how many may come at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateLimitOptions {
  /** Of one API key or operator; undefined: none. */
  readonly known: Rate | undefined;
  /** Of one address, for requests without valid credentials; undefined: none. */
  readonly unknown: Rate | undefined;
  /** Every answer tells what is left, not only a refusal. */
  readonly isTold: boolean;
}

/** Whose requests are counted together. */
type Per = "caller" | "address";

/** As draft-ietf-httpapi-ratelimit-headers-10 writes it: the quota, what is left of it, and until when it is whole. */
export function rateLimitHeaders(
  { perSecond, burst }: Rate,
  per: Per,
  left: number,
  wholeInMs: number,
): Record<string, string> {
  return {
    "ratelimit-policy": `"${per}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    ratelimit: `"${per}";r=${left};t=${Math.ceil(wholeInMs / 1000)}`,
  };
}

/** More names than this at once, and those that lack least of their quota begin anew, */
const NAMES_MAX = 10_000;
/** so many at a time: to find them, all are looked at. */
const BEGIN_ANEW = NAMES_MAX / 10;

/** How often each caller may ask. Counted in the memory of this instance: two instances give each caller twice as much. */
export class RateLimits {
  readonly isTold: boolean;
  readonly #known: Buckets | undefined;
  readonly #unknown: Buckets | undefined;

  constructor({ known, unknown, isTold }: RateLimitOptions) {
    this.#known = known && new Buckets(known, "caller");
    this.#unknown = unknown && new Buckets(unknown, "address");
    this.isTold = isTold && known !== undefined;
  }

  /** @throws LockkeeperError rate_limited */
  takeKnown(caller: string): void {
    this.#known?.take(caller);
  }

  /** @throws LockkeeperError rate_limited */
  takeUnknown(address: string | undefined): void {
    this.#unknown?.take(networkOf(address ?? ""));
  }

  headersFor(caller: string): Record<string, string> {
    return this.#known?.headersFor(caller) ?? {};
  }
}

/** Token buckets, each as the one moment at which it will be full again. */
class Buckets {
  readonly #fullAt = new Map<string, number>();
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(
    private readonly rate: Rate,
    private readonly per: Per,
  ) {
    this.#eachMs = 1000 / rate.perSecond;
    this.#burstMs = this.#eachMs * rate.burst;
  }

  take(name: string): void {
    const now = performance.now();
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? 0) + this.#eachMs;
    const overMs = fullAt - now - this.#burstMs;
    // A rounding error is not held against anybody.
    if (overMs > 1e-6) throw this.#refusal(overMs);
    this.#fullAt.set(name, fullAt);
    if (this.#fullAt.size > NAMES_MAX) this.#forget(now);
  }

  headersFor(name: string): Record<string, string> {
    const missingMs = Math.max(0, (this.#fullAt.get(name) ?? 0) - performance.now());
    const left = Math.floor((this.#burstMs - missingMs) / this.#eachMs + 1e-6);
    return rateLimitHeaders(this.rate, this.per, left, missingMs);
  }

  #refusal(remainingMs: number): RateLimitedError {
    const { perSecond, burst } = this.rate;
    const whose = this.per === "caller" ? "One caller" : "One address without valid credentials";
    return new RateLimitedError(
      `${whose} may ask ${perSecond} times a second, ${burst} at once. Nothing was done; ask again later.`,
      { remainingMs: Math.ceil(remainingMs), perSecond, burst, per: this.per },
    );
  }

  #forget(now: number): void {
    for (const [name, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(name);
    if (this.#fullAt.size <= NAMES_MAX) return;
    const soonestFull = [...this.#fullAt].sort(([, a], [, b]) => a - b).slice(0, BEGIN_ANEW);
    for (const [name] of soonestFull) this.#fullAt.delete(name);
  }
}
