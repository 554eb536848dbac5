import { describe, expect, it } from "vitest";
import type { Liveness } from "@/lib/contract/liveness.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { formatLivenessEvidence, formatLivenessLines } from "./liveness-label.ts";

const NOW = 1_000_000;
const liveness = (fields: Partial<Liveness>): Liveness => ({
  state: "unknown",
  watchedMs: 25_000,
  renewals: 0,
  lastRenewalAt: null,
  renewalIntervalMs: null,
  nextRenewalExpectedAt: null,
  missedRenewals: 0,
  ...fields,
});

describe("liveness evidence", () => {
  it("the evidence for a renewing holder is its last renewal, its interval and the next expected one", () => {
    const renewing = liveness({
      state: "alive",
      renewals: 3,
      lastRenewalAt: NOW - 4000,
      renewalIntervalMs: 10_000,
      nextRenewalExpectedAt: NOW + 6000,
    });
    expect(formatLivenessEvidence(renewing, NOW, words)).toBe(
      "last renewed 4 s ago, interval 10 s, next expected in 6.0 s",
    );
    expect(formatLivenessEvidence(renewing, NOW + 7000, words)).toMatch(/next due now$/);
    expect(formatLivenessEvidence({ ...renewing, nextRenewalExpectedAt: null }, NOW, words)).toBe(
      "last renewed 4 s ago, interval 10 s",
    );
  });

  it("the evidence for an overdue holder is the delay, the missed renewals and the last renewal", () => {
    const late = liveness({
      state: "overdue",
      lastRenewalAt: NOW - 26_000,
      renewalIntervalMs: 10_000,
      nextRenewalExpectedAt: NOW - 16_000,
      missedRenewals: 2,
    });
    expect(formatLivenessEvidence(late, NOW, words)).toBe(
      "expected 16 s ago, 2 renewals missed, last renewed 26 s ago, interval 10 s",
    );
    // The number of missed renewals increases with time, even if the server does not read the lock again.
    expect(formatLivenessEvidence(late, NOW + 9000, words)).toContain("expected 25 s ago, 3 renewals missed");
    expect(formatLivenessEvidence(late, NOW + 19_000, words)).toContain(
      "expected 35 s ago, 4 renewals missed",
    );
    expect(formatLivenessEvidence({ ...late, lastRenewalAt: null }, NOW, words)).toContain("no renewal seen");
  });

  it("the evidence for other liveness states is how long the holder was observed", () => {
    expect(formatLivenessEvidence(liveness({ state: "not_renewing" }), NOW, words)).toBe(
      "watched for 25 s, no renewal seen",
    );
    expect(formatLivenessEvidence(liveness({}), NOW, words)).toContain("not long enough");
  });

  it("the evidence for a holder without regular renewals has its last renewal", () => {
    const extended = liveness({ renewals: 1, lastRenewalAt: NOW - 20_000 });
    expect(formatLivenessEvidence({ ...extended, state: "not_renewing" }, NOW, words)).toBe(
      "last renewed 20 s ago, no regular renewals observed",
    );
    expect(formatLivenessEvidence(extended, NOW, words)).toMatch(/^last renewed 20 s ago, watched for 25 s/);
  });
});

it("the table shows a second line only for a liveness state that needs attention", () => {
  const late = liveness({ state: "overdue", lastRenewalAt: NOW - 23_000 });
  expect(formatLivenessLines(late, NOW, words)).toEqual({ word: "overdue", under: "last renewed 23 s ago" });
  expect(formatLivenessLines({ ...late, lastRenewalAt: null }, NOW, words).under).toBe("no renewal seen");
  expect(formatLivenessLines(liveness({ state: "no_ttl" }), NOW, words).under).not.toBe("");
  for (const state of ["alive", "not_renewing", "unknown"] as const) {
    const { word, under } = formatLivenessLines(liveness({ state }), NOW, words);
    expect([word !== "", under]).toEqual([true, ""]);
  }
});
