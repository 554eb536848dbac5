import { describe, expect, it } from "vitest";
import { getCurrentMoment, type Moment } from "../../../lib/client/moment.ts";
import { HoldLease } from "./hold-lease.ts";

const ago = (ms: number): Moment => {
  const { monotonic, wall } = getCurrentMoment();
  return { monotonic: monotonic - ms, wall: wall - ms };
};
const toGrant = (remainingMs: number) => ({
  ...{ key: "lock:a", format: "redisson" as const, token: "t", fence: "1", owner: "o", count: 1 },
  ...{ leaseMs: 60_000, remainingMs, asOf: 0, unit: undefined, abandon: () => undefined },
});
const EVENTS = { onJeopardy: () => undefined, onEnd: () => undefined };

describe("the deadline of a hold", () => {
  it("a slow reply that agrees with the deadline does not bring it nearer", () => {
    const lease = new HoldLease([toGrant(60_000), ago(30_000)], "default", EVENTS);
    // Redis measured 35 s at an unknown time in the last 20 s, so 15 s to 35 s remain, and 30 s are possible.
    lease.applyGrant(toGrant(35_000), ago(20_000));
    expect(lease.remainingMs()).toBeGreaterThan(25_000);
  });

  it("a reply that contradicts the deadline brings it nearer", () => {
    const lease = new HoldLease([toGrant(60_000), ago(30_000)], "default", EVENTS);
    // At most 20 s remain, because the clock of Redis ran ahead.
    lease.applyGrant(toGrant(20_000), ago(10_000));
    expect(lease.remainingMs()).toBeLessThanOrEqual(10_000);
  });

  it("a renewal moves the deadline", () => {
    const lease = new HoldLease([toGrant(60_000), ago(30_000)], "default", EVENTS);
    lease.applyGrant(toGrant(60_000), ago(1000));
    expect(lease.remainingMs()).toBeGreaterThan(50_000);
  });
});
