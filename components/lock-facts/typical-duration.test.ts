import { expect, it } from "vitest";
import type { LivenessState } from "@/lib/contract/liveness.ts";
import { createSampleHolder, createSampleLock } from "@/lib/contract/sample-lock.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { formatTypicalDuration, isLongerThanTypical, needsAttention } from "./typical-duration.ts";

const lock = createSampleLock({ holders: [createSampleHolder({ since: 1000 })] });
const TYPICAL = { p50: 40_000, p95: 60_000, samples: 20 };

it("the typical hold time is shown once three holds have ended", () => {
  expect(formatTypicalDuration(TYPICAL, words)).toBe("typical 40 s");
  expect(formatTypicalDuration({ ...TYPICAL, samples: 2.9 }, words)).toBe("");
});

it("a hold counts as long once twenty holds have ended and it exceeds their 95th percentile", () => {
  expect(isLongerThanTypical(lock, TYPICAL, 61_000)).toBe(false);
  expect(isLongerThanTypical(lock, TYPICAL, 61_001)).toBe(true);
  expect(isLongerThanTypical(lock, { ...TYPICAL, samples: 19 }, 61_001)).toBe(false);
  expect(isLongerThanTypical({ ...lock, state: "ended" }, TYPICAL, 61_001)).toBe(false);
  expect(isLongerThanTypical(lock, undefined, 61_001)).toBe(false);
  expect(isLongerThanTypical(lock, TYPICAL, null)).toBe(false);
});

it("a lock needs attention when it is overdue, has no TTL, or is held for more than twice the typical time", () => {
  const evidence = {
    watchedMs: 60_000,
    renewals: 3,
    lastRenewalAt: 1000,
    renewalIntervalMs: 1000,
    nextRenewalExpectedAt: 2000,
    missedRenewals: 0,
  };
  const withState = (state: LivenessState) => ({ ...lock, liveness: { ...evidence, state } });
  expect(needsAttention(withState("overdue"), undefined, 2000)).toBe(true);
  expect(needsAttention(withState("no_ttl"), undefined, 2000)).toBe(true);
  expect(needsAttention({ ...withState("overdue"), state: "ended" }, undefined, 2000)).toBe(false);
  expect(needsAttention(withState("alive"), TYPICAL, 121_000)).toBe(false);
  expect(needsAttention(withState("alive"), TYPICAL, 121_001)).toBe(true);
});

it("a latch never needs attention, however long it stays closed", () => {
  expect(needsAttention({ ...lock, kind: "latch" }, TYPICAL, 121_001)).toBe(false);
});
