import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HeldLock } from "./held-lock.ts";
import { computeLeaseMargins } from "./lease-margins.ts";
import { LeaseWatch } from "./lease-watch.ts";
import { computeMsUntil, type SharedMoment } from "./shared-moment.ts";

const LEASE_MS = 3000;
const margins = computeLeaseMargins(LEASE_MS, 5000);

/** A hold whose lease ends at `endsAt` on the fake clock. */
class FakeHold implements HeldLock {
  readonly holds = [];
  readonly signal = new AbortController().signal;
  endsAt = Date.now() + LEASE_MS;

  remainingMs(): number {
    return Math.max(0, this.endsAt - Date.now());
  }

  onReleaseRequested(): void {}

  release() {
    return Promise.resolve("released" as const);
  }
}

describe("LeaseWatch", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("reports each renewal once, and nothing while the lease is renewed", async () => {
    const hold = new FakeHold();
    const extended: SharedMoment[] = [];
    const onNearEnd = vi.fn();
    const watch = new LeaseWatch(hold, LEASE_MS, margins, {
      onExtended: (at) => extended.push(at),
      onNearEnd,
    });
    for (let renewal = 0; renewal < 3; renewal++) {
      await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
      hold.endsAt = Date.now() + LEASE_MS;
    }
    await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
    watch.stop();
    expect(extended.length).toBe(3);
    expect(onNearEnd).not.toHaveBeenCalled();
    expect(Math.abs(computeMsUntil(watch.deadline) - hold.remainingMs())).toBeLessThan(5);
  });

  it("reports once that the lease is about to end, with the time to end the command left", async () => {
    const hold = new FakeHold();
    const leftMs: number[] = [];
    const onNearEnd = () => leftMs.push(hold.remainingMs());
    const watch = new LeaseWatch(hold, LEASE_MS, margins, { onExtended: () => undefined, onNearEnd });
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    watch.stop();
    expect(leftMs.length).toBe(1);
    expect(leftMs[0]).toBeGreaterThan(margins.killBeforeMs);
    expect(leftMs[0]).toBeLessThanOrEqual(margins.signalBeforeMs);
  });
});
