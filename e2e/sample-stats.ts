import type { PatternStats, Stats } from "../lib/contract/stats.ts";

/** Replaces the statistics of a new console with those of a console that has run for an hour on a busy fleet. */
export function createSampleStats(stats: Stats): Stats {
  const points = Array.from({ length: 300 }, (_, i) => ({
    at: stats.now - (300 - i) * 10_000,
    held: Math.round(1200 + 60 * Math.sin(i / 19) + 12 * Math.sin(i * 7)),
    waiting: Math.round(12 + 6 * Math.sin(i / 11) + (i > 250 ? (i - 250) / 3 : 0)),
    needsAttention: i > 280 ? 4 : i > 120 && i < 150 ? 1 : 0,
    acquisitionsPerS: 180 + 30 * Math.sin(i * 3.1),
    expired: 0,
    waitedMsP95: i % 40 < 6 ? null : Math.round(80 + 30 * Math.sin(i / 23)),
  }));
  const last = points.at(-1);
  if (last !== undefined) last.waitedMsP95 = 84;
  const some = [
    "lock:orders:*:settle",
    "lock:payments:iban:*",
    "lock:stock:*",
    "lock:cache:*",
    "(other)",
  ].map(
    (pattern, i): PatternStats => ({
      pattern,
      heldMs: { p50: 840, p95: 3120, samples: 412 },
      waitedMs: { p50: 12 + i, p95: Math.round(4096 / (i + 1)), samples: 31 },
      acquisitions: 1830,
      waits: 440 - i * 80,
      refusals: 12,
      givenUp: 1,
      expired: 3,
      expiredInUse: 3 - (i % 3),
      renewalsFailed: 0,
      forceReleases: i % 3,
      evictions: i === 3 ? 2 : 0,
    }),
  );
  return {
    ...stats,
    totals: { ...stats.totals, held: 1284, waiting: 37, needsAttention: 4 },
    series: { stepMs: 10_000, points },
    top: {
      ...{ contended: some, longestWaits: some, expiredInUse: some.slice(0, 2) },
      forceReleases: some.filter(({ forceReleases }) => forceReleases > 0),
      evictions: some.filter(({ evictions }) => evictions > 0),
    },
  };
}
