import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallSize } from "./call-size.ts";

const LIMITS = { least: 200, near: 500, most: 10_000 };

/** Records calls to a Redis that takes `msPerKey` per key. */
function recordCalls(callSize: CallSize, calls: number, msPerKey: number, roundTripMs: number): void {
  for (let call = 0; call < calls; call++) {
    callSize.record(callSize.size, callSize.size * msPerKey + roundTripMs);
    callSize.takePauseMs();
  }
}

describe("CallSize", () => {
  it("CallSize stays within its limits whatever the calls take", () => {
    const call = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      tookMs: fc.integer({ min: 0, max: 5000 }),
    });
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 200 }),
        fc.integer({ min: 0, max: 100 }),
        (calls, roundTripMs) => {
          const callSize = new CallSize(LIMITS);
          callSize.setRoundTrip(roundTripMs);
          for (const { share, tookMs } of calls) {
            callSize.record(Math.ceil(callSize.size * share), tookMs);
            expect(callSize.size).toBeGreaterThanOrEqual(LIMITS.least);
            expect(callSize.size).toBeLessThanOrEqual(LIMITS.most);
            expect(callSize.takePauseMs()).toBeLessThanOrEqual(5);
            expect(callSize.estimateCostMs(1)).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  it("calls have as many keys as the time that they may take allows, on a fast, a slow and a distant Redis", () => {
    const nanosPerKey = fc.integer({ min: 100, max: 20_000 });
    fc.assert(
      fc.property(nanosPerKey, fc.double({ min: 0.02, max: 30, noNaN: true }), (nanos, roundTripMs) => {
        const callSize = new CallSize(LIMITS);
        callSize.setRoundTrip(roundTripMs);
        recordCalls(callSize, 200, nanos / 1e6, roundTripMs);
        const { size, targetMs } = callSize;
        const callMs = size * (nanos / 1e6);
        const largest = Math.min(LIMITS.most, Math.floor(LIMITS.near * targetMs));
        expect(size === LIMITS.least || callMs <= targetMs * 1.01).toBe(true);
        expect(size >= largest || callMs >= targetMs / 2).toBe(true);
      }),
    );
  });

  it("a stall halves the next call and asks for a rest, and short calls afterwards restore the size", () => {
    const callSize = new CallSize(LIMITS);
    recordCalls(callSize, 200, 0.0005, 0.05);
    const { size } = callSize;
    callSize.record(size, 20);
    expect(callSize.size).toBe(Math.floor(size / 2));
    expect(callSize.takePauseMs()).toBe(5);
    expect(callSize.takePauseMs()).toBe(0);
    recordCalls(callSize, 40, 0.0005, 0.05);
    expect(callSize.size).toBeGreaterThanOrEqual(size * 0.9);
  });

  it("one slow call among short ones does not reduce the size", () => {
    const callSize = new CallSize(LIMITS);
    recordCalls(callSize, 200, 0.0005, 0.05);
    const { size } = callSize;
    for (let call = 0; call < 4; call++) callSize.record(size, call === 2 ? 3 : 0.15);
    expect(callSize.size).toBeGreaterThanOrEqual(size);
  });

  it("the cost of keys is that of the shortest of the last calls, not of what they waited for", () => {
    const callSize = new CallSize(LIMITS);
    expect(callSize.estimateCostMs(1000)).toBe(0);
    callSize.setRoundTrip(0.1);
    callSize.record(100, 30.1);
    callSize.record(100, 0.3);
    callSize.record(100, 5.1);
    expect(callSize.estimateCostMs(1000)).toBeCloseTo(2);
  });
});
