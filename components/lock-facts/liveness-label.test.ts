import { describe, expect, it } from "vitest";
import type { Verdict } from "@/lib/contract/liveness.ts";
import { lock as words } from "@/lib/i18n/en/lock.tsx";
import { evidenceOf, verdictLines } from "./liveness-label.ts";

const NOW = 1_000_000;
const verdict = (fields: Partial<Verdict>): Verdict => ({
  state: "unknown",
  watchedMs: 25_000,
  renewals: 0,
  lastRenewalAt: null,
  cadenceMs: null,
  nextExpectedAt: null,
  misses: 0,
  ...fields,
});

describe("liveness evidence", () => {
  it("the evidence for a renewing holder is its last renewal, its interval and the next expected one", () => {
    const renewing = verdict({
      state: "renewing",
      renewals: 3,
      lastRenewalAt: NOW - 4000,
      cadenceMs: 10_000,
      nextExpectedAt: NOW + 6000,
    });
    expect(evidenceOf(renewing, NOW, words)).toBe("last renewed 4 s ago, every 10 s, next expected in 6.0 s");
    expect(evidenceOf(renewing, NOW + 7000, words)).toMatch(/next expected now$/);
  });

  it("the evidence for an overdue holder is the delay, the missed renewals and the last renewal", () => {
    const late = verdict({
      state: "late",
      lastRenewalAt: NOW - 26_000,
      cadenceMs: 10_000,
      nextExpectedAt: NOW - 16_000,
      misses: 2,
    });
    expect(evidenceOf(late, NOW, words)).toBe(
      "expected 16 s ago, 2 missed, last renewed 26 s ago, every 10 s",
    );
    expect(evidenceOf({ ...late, lastRenewalAt: null }, NOW, words)).toContain("never seen to renew");
  });

  it("the evidence for other liveness states is how long the holder was observed", () => {
    expect(evidenceOf(verdict({ state: "fixed-lease" }), NOW, words)).toBe(
      "watched for 25 s and never renewed",
    );
    expect(evidenceOf(verdict({}), NOW, words)).toContain("not long enough");
  });
});

it("the table shows a second line only for a liveness state that needs attention", () => {
  const late = verdict({ state: "late", lastRenewalAt: NOW - 23_000 });
  expect(verdictLines(late, NOW, words)).toEqual({ word: "late", under: "last renewed 23 s ago" });
  expect(verdictLines({ ...late, lastRenewalAt: null }, NOW, words).under).toBe("never seen to renew");
  expect(verdictLines(verdict({ state: "no-expiry" }), NOW, words).under).not.toBe("");
  for (const state of ["renewing", "fixed-lease", "unknown"] as const) {
    const { word, under } = verdictLines(verdict({ state }), NOW, words);
    expect([word !== "", under]).toEqual([true, ""]);
  }
});
