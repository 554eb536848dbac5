const MB = 2 ** 20;

/** Limits for every case. */
export const LIMITS = {
  /** Number of acquires from which the percentiles of a case are computed. */
  acquiresMin: 1_000,
  /** The p99 of a case, as a multiple of the quiet p99 of the same run. */
  p99Factor: 20,
  /** The p99 limit is never below this. */
  p99MsMin: 100,
  /** Maximum growth of Redis beyond the planted data. */
  redisGrowthBytesMax: 64 * MB,
  /** Resident memory of Lockkeeper, which includes the history and the garbage of all earlier cases. */
  lockkeeperRssBytesMax: 768 * MB,
  /** Share of the samples in which the target may be `catching_up`: a busy machine delays the probes too. */
  catchingUpShareMax: 0.1,
  /** Longest response of `/healthz`. */
  healthzMsMax: 1_000,
} as const;

/** The watchdog kills Lockkeeper above this limit, which only a failed case exceeds. */
export const WATCHDOG_BYTES = 1024 * MB;

/**
 * Address space of Redis: the largest planted case (512 MB), the history of a run, and room for a defective server to
 * exceed its limit by far without harming the machine.
 */
export const REDIS_ADDRESS_SPACE_BYTES = 1536 * MB;
