import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RateLimitedError } from "../../errors/request-errors.ts";
import { problemOf } from "./problem.ts";
import { RateLimits } from "./rate-limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = () =>
  new RateLimits({ known: { perSecond: 10, burst: 5 }, unknown: { perSecond: 1, burst: 2 }, isTold: true });

/** How many of so many are let through. */
function passed(take: () => void, times: number): number {
  let count = 0;
  for (let n = 0; n < times; n++) {
    try {
      take();
      count++;
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
    }
  }
  return count;
}

describe("rate limit of a caller", () => {
  it("a caller may send a burst at once and then requests at the configured rate", () => {
    const limits = open();
    const take = () => limits.takeKnown("root");
    expect(passed(take, 20)).toBe(5);
    vi.advanceTimersByTime(300);
    expect(passed(take, 20)).toBe(3);
    vi.advanceTimersByTime(60_000);
    expect(passed(take, 20)).toBe(5);
  });

  it("a caller is not limited by requests of others and not charged for refusals", () => {
    const limits = open();
    passed(() => limits.takeKnown("loud"), 1000);
    expect(passed(() => limits.takeKnown("root"), 20)).toBe(5);
    vi.advanceTimersByTime(100);
    expect(passed(() => limits.takeKnown("loud"), 20)).toBe(1);
  });

  it("a caller gets the remaining quota, and a retry time with a refusal", () => {
    const limits = open();
    passed(() => limits.takeKnown("root"), 2);
    expect(limits.headersFor("root")).toEqual({
      "ratelimit-policy": '"caller";q=5;w=1',
      ratelimit: '"caller";r=3;t=1',
    });
    passed(() => limits.takeKnown("root"), 3);
    let refusal: unknown;
    try {
      limits.takeKnown("root");
    } catch (error) {
      refusal = error;
    }
    const { status, headers, body } = problemOf(refusal);
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      "retry-after": "1",
      "ratelimit-policy": '"caller";q=5;w=1',
      ratelimit: '"caller";r=0;t=1',
    });
    expect(JSON.parse(String(body))).toMatchObject({ code: "rate_limited", remainingMs: 100, perSecond: 10 });
  });
});

describe("rate limit of an address without valid credentials", () => {
  it("an address has its own limit, and an IPv6 network counts as one address", () => {
    const limits = open();
    expect(passed(() => limits.takeUnknown("192.0.2.7"), 9)).toBe(2);
    expect(passed(() => limits.takeUnknown("::ffff:192.0.2.7"), 9)).toBe(0);
    expect(passed(() => limits.takeUnknown("192.0.2.8"), 9)).toBe(2);
    expect(passed(() => limits.takeUnknown("2001:db8::1"), 9)).toBe(2);
    expect(passed(() => limits.takeUnknown("2001:db8:0:0:ffff::2"), 9)).toBe(0);
    expect(passed(() => limits.takeUnknown("2001:db8:0:1::1"), 9)).toBe(2);
  });

  it("memory use is bounded for any number of addresses, and a busy address stays limited", () => {
    const limits = open();
    for (let n = 0; n < 50_000; n++) limits.takeUnknown(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(passed(() => limits.takeUnknown("192.0.2.7"), 9)).toBe(2);
    expect(passed(() => limits.takeUnknown("192.0.2.7"), 9)).toBe(0);
  });

  it("an address over its limit stays limited while many others send their first request", () => {
    const limits = open();
    const take = () => limits.takeUnknown("192.0.2.7");
    expect(passed(take, 9)).toBe(2);
    for (let n = 0; n < 50_000; n++) limits.takeUnknown(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(passed(take, 9)).toBe(0);
  });
});
