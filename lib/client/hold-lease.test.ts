import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LostError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { HoldLease } from "./hold-lease.ts";
import { getCurrentMoment } from "./moment.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const createGrant = (more: Partial<Grant> = {}): Grant => ({
  holdId: "h1.a",
  fence: "7",
  owner: "me",
  format: "redisson",
  count: 1,
  leaseMs: 3000,
  sentAt: getCurrentMoment(),
  leftMs: 3000,
  ...more,
});

/** Moves only the wall clock, as if the machine had been suspended or an operator had set the clock. */
const moveWallClock = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("HoldLease", () => {
  it("the deadline counts from before the request was sent", () => {
    const sentAt = getCurrentMoment();
    vi.advanceTimersByTime(500);
    const lease = new HoldLease("k", createGrant({ sentAt }));
    expect(lease.remainingMs()).toBe(2500);
    vi.advanceTimersByTime(2499);
    expect(lease.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toBeInstanceOf(LostError);
  });

  it("the clock that advanced more counts", () => {
    const suspended = new HoldLease("k", createGrant());
    moveWallClock(2900);
    expect(suspended.remainingMs()).toBe(100);
    moveWallClock(200);
    expect(suspended.state).toBe("lost");
    const setBack = new HoldLease("k", createGrant());
    moveWallClock(-60_000);
    vi.advanceTimersByTime(2000);
    expect(setBack.remainingMs()).toBe(1000);
    vi.advanceTimersByTime(1000);
    expect(setBack.signal.aborted).toBe(true);
  });

  it("a response after the deadline does not revive the hold, and a late older one does not shorten it", () => {
    const lost = new HoldLease("k", createGrant());
    vi.advanceTimersByTime(3000);
    lost.applyGrant(createGrant());
    expect(lost.state).toBe("lost");
    const lease = new HoldLease("k", createGrant());
    const older = createGrant();
    vi.advanceTimersByTime(1000);
    lease.applyGrant(createGrant());
    lease.applyGrant(older);
    expect(lease.remainingMs()).toBe(3000);
  });

  it("a closed lease is not lost at its deadline", () => {
    const lease = new HoldLease("k", createGrant());
    lease.close();
    vi.advanceTimersByTime(10_000);
    expect([lease.state, lease.signal.aborted, lease.remainingMs()]).toEqual(["closed", false, 0]);
  });
});
