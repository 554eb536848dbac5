import { computePercentile } from "../bench/statistics.ts";
import {
  computeP99LimitMs,
  computeRedisGrowthBytes,
  formatMb,
  formatMs,
  listFailures,
  type Measurement,
} from "./verdict.ts";

/** Formats the result of a case on one line, followed by its measurements. */
export function formatCase(measured: Measurement): string {
  const failures = listFailures(measured);
  const verdict = failures.length === 0 ? "passed" : `failed (${failures.join("; ")})`;
  return [`${measured.name}: ${verdict}`, ...formatFigures(measured).map((line) => `  ${line}`)].join("\n");
}

export function formatTotal(measurements: readonly Measurement[]): string {
  const failed = measurements.filter((measured) => listFailures(measured).length > 0).length;
  return `${measurements.length - failed} passed, ${failed} failed`;
}

function formatFigures(measured: Measurement): string[] {
  const { redis, lockkeeper, seconds } = measured;
  const growth = formatMb(computeRedisGrowthBytes(measured));
  return [
    `planted ${formatMb(measured.plantedBytes)}; Redis grew by ${growth}, RSS ${formatMb(redis.rssPeakBytes)}`,
    `Lockkeeper RSS ${formatMb(lockkeeper.rssBeforeBytes)} before, ${formatMb(lockkeeper.rssPeakBytes)} peak, ${formatMb(lockkeeper.rssAfterBytes)} after`,
    `${formatAcquires(measured)}; ${seconds.toFixed(1)} s`,
  ];
}

function formatAcquires({ client, quietP99Ms }: Measurement): string {
  if (client === undefined || client.acquireMs.length === 0) return "no acquires";
  const { acquireMs, healthzMsMax } = client;
  const p50 = formatMs(computePercentile(acquireMs, 0.5));
  const p99 = formatMs(computePercentile(acquireMs, 0.99));
  const quiet = `quiet ${formatMs(quietP99Ms)}, limit ${formatMs(computeP99LimitMs(quietP99Ms))}`;
  return `${acquireMs.length} acquires: p50 ${p50}, p99 ${p99} (${quiet}); /healthz at most ${formatMs(healthzMsMax)}`;
}
