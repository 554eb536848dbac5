import { computePercentile } from "../bench/statistics.ts";
import type { ClientResult } from "./client/messages.ts";
import { LIMITS } from "./limits.ts";

/** The measurements of a case. */
export interface Measurement {
  readonly name: string;
  /** Memory of the planted keys according to MEMORY USAGE. If keys are planted repeatedly, the maximum. */
  readonly plantedBytes: number;
  readonly redis: {
    /** `used_memory` before the data was planted. */
    readonly beforeBytes: number;
    /** Maximum `used_memory` during the case. */
    readonly peakBytes: number;
    readonly rssPeakBytes: number;
  };
  readonly lockkeeper: {
    readonly rssBeforeBytes: number;
    readonly rssPeakBytes: number;
    readonly rssAfterBytes: number;
  };
  /** The client's measurements. Undefined if the case ended before the client started. */
  readonly client: ClientResult | undefined;
  readonly quietP99Ms: number;
  /** States that the target may have during the case, in addition to `live`. */
  readonly allowedStates: readonly string[];
  /** Faults that the case, the servers or the check of the victim's lock reported. */
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Computes the maximum p99 of a case, in ms. */
export function computeP99LimitMs(quietP99Ms: number): number {
  return Math.max(LIMITS.p99MsMin, LIMITS.p99Factor * quietP99Ms);
}

/** Computes by how much Redis grew during the case, including the planted data. */
export function computeRedisGrowthBytes({ redis }: Measurement): number {
  return Math.max(0, redis.peakBytes - redis.beforeBytes);
}

/** Lists the faults of a case and the limits that it exceeded. The case has passed if the list is empty. */
export function listFailures(measured: Measurement): string[] {
  return [
    ...measured.faults,
    ...listMemoryFailures(measured),
    ...(measured.client === undefined
      ? ["no acquire was measured"]
      : listClientFailures(measured.client, measured)),
  ];
}

function listMemoryFailures(measured: Measurement): string[] {
  const failures: string[] = [];
  const growth = computeRedisGrowthBytes(measured);
  const growthMax = measured.plantedBytes + LIMITS.redisGrowthBytesMax;
  if (growth > growthMax) failures.push(`Redis grew by ${formatMb(growth)}, limit ${formatMb(growthMax)}`);
  const { rssPeakBytes } = measured.lockkeeper;
  if (rssPeakBytes > LIMITS.lockkeeperRssBytesMax)
    failures.push(
      `RSS of Lockkeeper reached ${formatMb(rssPeakBytes)}, limit ${formatMb(LIMITS.lockkeeperRssBytesMax)}`,
    );
  return failures;
}

function listClientFailures(client: ClientResult, { quietP99Ms, allowedStates }: Measurement): string[] {
  const failures: string[] = [];
  const { acquireMs, healthzMsMax, healthzFailures, states } = client;
  if (acquireMs.length < LIMITS.acquiresMin)
    failures.push(`${acquireMs.length} of ${LIMITS.acquiresMin} acquires were measured`);
  if (acquireMs.length > 0) {
    const p99 = computePercentile(acquireMs, 0.99);
    const limit = computeP99LimitMs(quietP99Ms);
    if (p99 > limit) failures.push(`p99 of acquires ${formatMs(p99)}, limit ${formatMs(limit)}`);
  }
  for (const [reason, count] of Object.entries(client.failures)) failures.push(`${count} × ${reason}`);
  if (healthzFailures > 0) failures.push(`/healthz failed ${healthzFailures} times`);
  if (healthzMsMax > LIMITS.healthzMsMax)
    failures.push(`/healthz took ${formatMs(healthzMsMax)}, limit ${formatMs(LIMITS.healthzMsMax)}`);
  failures.push(...listStateFailures(states, allowedStates));
  return failures;
}

function listStateFailures(
  states: Readonly<Record<string, number>>,
  allowedStates: readonly string[],
): string[] {
  const total = Object.values(states).reduce((sum, count) => sum + count, 0);
  const isFailure = ([state, count]: [string, number]) => {
    if (state === "live" || allowedStates.includes(state)) return false;
    return state !== "catching_up" || count > total * LIMITS.catchingUpShareMax;
  };
  return Object.entries(states)
    .filter(isFailure)
    .map(([state, count]) => `the target was ${state} in ${count} of ${total} samples`);
}

export function formatMb(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

export function formatMs(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
