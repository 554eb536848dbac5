import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RateLimitedError } from "../../errors/request-errors.ts";
import { toProblemResponse } from "./problem.ts";
import { RateLimits } from "./rate-limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createLimits = () =>
  new RateLimits({
    perCaller: { perSecond: 10, burst: 5 },
    perAddress: { perSecond: 1, burst: 2 },
    readCpu: undefined,
    sendsHeaders: true,
  });

/** Calls `take` the given number of times and returns how many calls did not throw. */
function countPassed(take: () => void, times: number): number {
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
    const limits = createLimits();
    const take = () => limits.consumeForCaller("root");
    expect(countPassed(take, 20)).toBe(5);
    vi.advanceTimersByTime(300);
    expect(countPassed(take, 20)).toBe(3);
    vi.advanceTimersByTime(60_000);
    expect(countPassed(take, 20)).toBe(5);
  });

  it("a call that costs as much as several requests counts as several, at most as a full bucket", () => {
    const limits = createLimits();
    limits.consumeForCaller("root");
    limits.consumeMoreForCaller("root", 2);
    expect(countPassed(() => limits.consumeForCaller("root"), 20)).toBe(2);
    vi.advanceTimersByTime(60_000);
    limits.consumeForCaller("root");
    limits.consumeMoreForCaller("root", 1000);
    expect(countPassed(() => limits.consumeForCaller("root"), 20)).toBe(0);
    expect(() => limits.consumeMoreForCaller("root", 1)).toThrow(RateLimitedError);
  });

  it("own changes have a limit of their own", () => {
    const limits = createLimits();
    expect(countPassed(() => limits.consumeForOwnChange("root"), 200)).toBe(100);
    expect(() => limits.consumeForOwnChange("root")).toThrow(
      /limited to 2 changes of views, sessions, passwords and answers per second, with bursts of 100/,
    );
    limits.consumeForCaller("root");
    limits.consumeForOwnChange("other");
    vi.advanceTimersByTime(2000);
    expect(countPassed(() => limits.consumeForOwnChange("root"), 20)).toBe(4);
  });

  it("each operator has a separate limit for logins", () => {
    const limits = createLimits();
    expect(countPassed(() => limits.consumeForLogin("mei"), 200)).toBe(50);
    expect(() => limits.consumeForLogin("mei")).toThrow(
      /limited to one login with a password every 2 s, with bursts of 50/,
    );
    limits.consumeForLogin("ana");
    limits.consumeForOwnChange("mei");
    vi.advanceTimersByTime(4000);
    expect(countPassed(() => limits.consumeForLogin("mei"), 20)).toBe(2);
  });

  it("a caller is not limited by requests of others and not charged for refusals", () => {
    const limits = createLimits();
    countPassed(() => limits.consumeForCaller("loud"), 1000);
    expect(countPassed(() => limits.consumeForCaller("root"), 20)).toBe(5);
    vi.advanceTimersByTime(100);
    expect(countPassed(() => limits.consumeForCaller("loud"), 20)).toBe(1);
  });

  it("a caller gets the remaining quota, and a retry time with a refusal", () => {
    const limits = createLimits();
    countPassed(() => limits.consumeForCaller("root"), 2);
    expect(limits.buildHeaders("root")).toEqual({
      "ratelimit-policy": '"caller";q=5;w=1',
      ratelimit: '"caller";r=3;t=1',
    });
    countPassed(() => limits.consumeForCaller("root"), 3);
    let refusal: unknown;
    try {
      limits.consumeForCaller("root");
    } catch (error) {
      refusal = error;
    }
    const { status, headers, body } = toProblemResponse(refusal, "");
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
    const limits = createLimits();
    expect(countPassed(() => limits.consumeForAddress("192.0.2.7"), 9)).toBe(2);
    expect(countPassed(() => limits.consumeForAddress("::ffff:192.0.2.7"), 9)).toBe(0);
    expect(countPassed(() => limits.consumeForAddress("192.0.2.8"), 9)).toBe(2);
    expect(countPassed(() => limits.consumeForAddress("2001:db8::1"), 9)).toBe(2);
    expect(countPassed(() => limits.consumeForAddress("2001:db8:0:0:ffff::2"), 9)).toBe(0);
    expect(countPassed(() => limits.consumeForAddress("2001:db8:0:1::1"), 9)).toBe(2);
  });

  it("memory use is bounded for any number of addresses, and a busy address stays limited", () => {
    const limits = createLimits();
    for (let n = 0; n < 50_000; n++) limits.consumeForAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(countPassed(() => limits.consumeForAddress("192.0.2.7"), 9)).toBe(2);
    expect(countPassed(() => limits.consumeForAddress("192.0.2.7"), 9)).toBe(0);
  });

  it("an address over its limit stays limited while many others send their first request", () => {
    const limits = createLimits();
    const take = () => limits.consumeForAddress("192.0.2.7");
    expect(countPassed(take, 9)).toBe(2);
    for (let n = 0; n < 50_000; n++) limits.consumeForAddress(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(countPassed(take, 9)).toBe(0);
  });
});
