import { describe, expect, it } from "vitest";
import { computeLeaseMargins, RUN_LEASE_MS_MIN } from "./lease-margins.ts";

describe("computeLeaseMargins", () => {
  it.each([
    { leaseMs: RUN_LEASE_MS_MIN, killAfterMs: 5000, killBeforeMs: 100, signalBeforeMs: 350 },
    { leaseMs: 3000, killAfterMs: 5000, killBeforeMs: 300, signalBeforeMs: 1050 },
    { leaseMs: 30_000, killAfterMs: 5000, killBeforeMs: 1000, signalBeforeMs: 6000 },
    { leaseMs: 30_000, killAfterMs: 0, killBeforeMs: 1000, signalBeforeMs: 1000 },
    { leaseMs: 30_000, killAfterMs: 60_000, killBeforeMs: 1000, signalBeforeMs: 8500 },
  ])(
    "signals $signalBeforeMs ms before the end of a lease of $leaseMs ms",
    ({ leaseMs, killAfterMs, ...margins }) => {
      expect(computeLeaseMargins(leaseMs, killAfterMs)).toEqual(margins);
    },
  );

  it("leaves time for two renewals, which are due after a third of the lease", () => {
    for (const leaseMs of [1000, 3000, 30_000, 86_400_000]) {
      const { signalBeforeMs } = computeLeaseMargins(leaseMs, Number.POSITIVE_INFINITY);
      expect(leaseMs - signalBeforeMs).toBeGreaterThan(leaseMs / 2);
    }
  });
});
