const MB = 2 ** 20;

/** What every case must keep to. */
export const LIMITS = {
  /** Acquires that the percentiles of a case are computed from. */
  acquiresMin: 1_000,
  /** The p99 of a case, as a multiple of the quiet p99 of the same run. */
  p99Factor: 20,
  /** The p99 limit is never below this. */
  p99MsMin: 100,
  /** By how much Redis may grow beyond the planted data. */
  redisGrowthBytesMax: 64 * MB,
  /** Resident memory of Lockkeeper, which has the history and the garbage of all cases before. */
  lockkeeperRssBytesMax: 768 * MB,
  /** Share of the samples in which the target may be `catching_up`: a busy machine delays the probes too. */
  catchingUpShareMax: 0.1,
  /** Longest response of `/healthz`. */
  healthzMsMax: 1_000,
} as const;

/** The watchdog kills Lockkeeper above this. A case has failed by then. */
export const WATCHDOG_BYTES = 1024 * MB;

/**
 * Address space of Redis: the largest planted case (512 MB), the history of a run, and room for a server that has a
 * defect to exceed its limit by far without harming the machine.
 */
export const REDIS_ADDRESS_SPACE_BYTES = 1536 * MB;
