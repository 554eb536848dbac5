/** The times before the end of an unrenewed lease at which the command is signalled and killed, in milliseconds. */
export interface LeaseMargins {
  /** SIGKILL is sent this long before the lease ends. */
  readonly killBeforeMs: number;
  /** The first signal is sent this long before the lease ends. */
  readonly signalBeforeMs: number;
}

/** The shortest lease for `run`, in ms. A shorter lease leaves no time to end the command before the lease ends. */
export const RUN_LEASE_MS_MIN = 1000;

const KILL_SHARE = 1 / 10;
const KILL_MS_MIN = 100;
const KILL_MS_MAX = 1000;
/** The command gets at most this share of the lease to exit on its own, so that failed renewals can be retried. */
const GRACE_SHARE = 1 / 4;

/**
 * Computes when to end a command whose lease is not renewed.
 *
 * @param killAfterMs the configured time between the signal and SIGKILL
 */
export function computeLeaseMargins(leaseMs: number, killAfterMs: number): LeaseMargins {
  const killBeforeMs = Math.min(KILL_MS_MAX, Math.max(KILL_MS_MIN, leaseMs * KILL_SHARE));
  return { killBeforeMs, signalBeforeMs: killBeforeMs + Math.min(killAfterMs, leaseMs * GRACE_SHARE) };
}
