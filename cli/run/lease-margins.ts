/** The times at which the command is signaled and killed, in milliseconds before an unrenewed lease ends. */
export interface LeaseMargins {
  /** Time between SIGKILL and the end of the lease. */
  readonly killBeforeMs: number;
  /** Time between the first signal and the end of the lease. */
  readonly signalBeforeMs: number;
}

/**
 * Minimum lease for `run`, in ms. With a shorter lease, there would not be enough time to end the command before the
 * lease ends.
 */
export const RUN_LEASE_MS_MIN = 1000;

const KILL_SHARE = 1 / 10;
const KILL_MS_MIN = 100;
const KILL_MS_MAX = 1000;
/**
 * Maximum fraction of the lease that the command gets to exit after the first signal. The remaining time is available
 * for renewals and their retries.
 */
const GRACE_SHARE = 1 / 4;

/**
 * Computes when to signal and kill a command whose lease is not renewed.
 *
 * @param killAfterMs the configured maximum time between the first signal and SIGKILL
 */
export function computeLeaseMargins(leaseMs: number, killAfterMs: number): LeaseMargins {
  const killBeforeMs = Math.min(KILL_MS_MAX, Math.max(KILL_MS_MIN, leaseMs * KILL_SHARE));
  return { killBeforeMs, signalBeforeMs: killBeforeMs + Math.min(killAfterMs, leaseMs * GRACE_SHARE) };
}
