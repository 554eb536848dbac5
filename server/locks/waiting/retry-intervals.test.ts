import { describe, expect, it } from "vitest";
import { RetryIntervals } from "./retry-intervals.ts";

const foreign = (owner: string) => ({ owner, fence: null });

function takeAll(retries: RetryIntervals): number[] {
  const found: number[] = [];
  for (let ms = retries.takeNext(); ms !== undefined; ms = retries.takeNext()) found.push(ms);
  return found;
}

describe("retries of a waiter", () => {
  it("they begin at 10 ms for a foreign holder, double, and end after a few seconds", () => {
    const retries = new RetryIntervals();
    retries.recordAttempt(foreign("a"));
    expect(takeAll(retries)).toEqual([10, 20, 40, 80, 160, 320, 640, 1280]);
    retries.recordAttempt(foreign("a"));
    expect(retries.takeNext()).toBeUndefined();
  });

  it("they restart when another client holds the lock", () => {
    const retries = new RetryIntervals();
    retries.recordAttempt(foreign("a"));
    expect([retries.takeNext(), retries.takeNext()]).toEqual([10, 20]);
    retries.recordAttempt(foreign("b"));
    expect(retries.takeNext()).toBe(10);
  });

  it("a Lockkeeper hold needs none, because its release wakes the waiter", () => {
    const retries = new RetryIntervals();
    retries.recordAttempt({ owner: "a", fence: "7" });
    expect(retries.takeNext()).toBeUndefined();
    retries.recordAttempt(foreign("a"));
    expect(retries.takeNext()).toBe(10);
  });
});
