const MB = 2 ** 20;

/** Limits that apply to every case. */
export const LIMITS = {
  /** Minimum number of acquires from which the percentiles of a case are computed. */
  acquiresMin: 1_000,
  /** Maximum p99 of the acquires, as a multiple of the quiet p99 of the same run. */
  p99Factor: 20,
  /** Minimum value of the p99 limit in ms. */
  p99MsMin: 100,
  /** Maximum growth of Redis in addition to the planted data. */
  redisGrowthBytesMax: 64 * MB,
  /** Maximum resident memory of Lockkeeper. It includes the history and the uncollected garbage of earlier cases. */
  lockkeeperRssBytesMax: 768 * MB,
  /**
   * Maximum share of the samples in which the target may be `catching_up`. The limit is not 0, because a busy machine
   * delays probes as well.
   */
  catchingUpShareMax: 0.1,
  /** Maximum response time of `/healthz`, in ms. */
  healthzMsMax: 1_000,
} as const;

/**
 * Resident memory above which the watchdog kills Lockkeeper. It is higher than the limit of a case, so only failed
 * cases reach it.
 */
export const WATCHDOG_BYTES = 1024 * MB;

/**
 * Maximum address space of Redis: the largest planted case (512 MB), the history of a run, and enough room to measure
 * by how much a faulty server exceeds the limit, without harming the machine.
 */
export const REDIS_ADDRESS_SPACE_BYTES = 1536 * MB;
