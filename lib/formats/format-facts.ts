/** Facts about a format and its libraries, used by the console, liveness checks and operator actions. */
export interface FormatFacts {
  /** Display name of the format. */
  readonly label: string;
  /** Describes the value in Redis. */
  readonly layout: string;
  /**
   * Whether clients reuse owner strings. `unique`: every hold has a new owner string. `recurs`: successive holds of a
   * client have the same owner string.
   */
  readonly owner: "unique" | "recurs";
  /** Which holders renew automatically. `afterShare` is the default fraction of the lease after which they renew. */
  readonly renews: { readonly who: "all" | "some"; readonly afterShare: number } | { readonly who: "none" };
  /** Describes which waiters are notified after a force-release, and in which order. */
  readonly waiters: string;
  /** Describes in one to three sentences how the holder notices a force-release. */
  readonly oldOwner: string;
  /**
   * Describes how the previous holder can recreate the lock or end the next hold after a force-release, and how to
   * prevent this. Absent if the previous holder can do neither.
   */
  readonly comesBack?: string;
  /** Why a force-release would do harm, and what to do instead. Absent if locks of the format can be force-released. */
  readonly never?: { readonly why: string; readonly instead: string };
}

/** Value of `waiters` for libraries whose clients poll. */
export const POLLING_WAITERS = "Waiters poll and are not notified. The first one to poll acquires the lock.";
