import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LostError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { HoldLease } from "./hold-lease.ts";
import { LeaseRenewer } from "./lease-renewer.ts";
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

/** Moves one clock only: a suspended machine stops the monotonic clock, and an operator may set the wall clock. */
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

describe("LeaseRenewer", () => {
  it("a lease is renewed after a third of it, and soon again under the same key after a failure", async () => {
    const lease = new HoldLease("k", createGrant());
    const attempts: { atMs: number; key: string }[] = [];
    const startedAt = performance.now();
    const results = [undefined, "unknown", "not_done", undefined, undefined] as const;
    const renewer = new LeaseRenewer(lease, async (key) => {
      attempts.push({ atMs: performance.now() - startedAt, key });
      const result = results[attempts.length - 1];
      if (result === undefined) lease.applyGrant(createGrant());
      return result;
    });
    await vi.advanceTimersByTimeAsync(3600);
    await renewer.finish();
    expect(attempts.map(({ atMs }) => atMs)).toEqual([1000, 2000, 2250, 2500, 3500]);
    const keys = attempts.map(({ key }) => key);
    expect(new Set(keys.slice(1, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(3);
    await vi.advanceTimersByTimeAsync(3000);
    expect(attempts).toHaveLength(5);
  });

  it("a refused renewal is repeated after another third, until the deadline", async () => {
    const lease = new HoldLease("k", createGrant());
    const attempts: number[] = [];
    const keys = new Set<string>();
    const startedAt = performance.now();
    new LeaseRenewer(lease, async (key) => {
      attempts.push(performance.now() - startedAt);
      keys.add(key);
      return "never";
    });
    await vi.advanceTimersByTimeAsync(9000);
    expect(attempts).toEqual([1000, 2000]);
    expect(keys.size).toBe(2);
    expect(lease.state).toBe("lost");
  });

  it("a lease that is granted for less than its length is renewed after a third of what is left", async () => {
    const lease = new HoldLease("k", createGrant({ leftMs: 900 }));
    let attempts = 0;
    new LeaseRenewer(lease, async () => {
      attempts++;
      lease.applyGrant(createGrant({ leftMs: 900 }));
      return undefined;
    });
    await vi.advanceTimersByTimeAsync(1600);
    expect(attempts).toBe(5);
    expect(lease.state).toBe("held");
    lease.close();
  });
});
