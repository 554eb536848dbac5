/** Facts about the libraries of a format. They are used by the console, for liveness and for operator actions. */
export interface FormatFacts {
  /** The display name. */
  readonly label: string;
  /** A description of the value in Redis. */
  readonly layout: string;
  /** `unique`: every hold has a new owner string. `recurs`: successive holds by a client have the same owner string. */
  readonly owner: "unique" | "recurs";
  /** The holders that renew automatically, and after what fraction of the lease by default. */
  readonly renews: { readonly who: "all" | "some"; readonly afterShare: number } | { readonly who: "none" };
  /** The effect of a force-release on waiters: which ones are notified, and in which order. */
  readonly waiters: string;
  /** How the holder notices a force-release. One to three sentences. */
  readonly oldOwner: string;
  /** How the previous holder can recreate the lock or end the next hold, and how to prevent it. */
  readonly comesBack?: string;
  /** Present if a force-release causes harm. */
  readonly never?: { readonly why: string; readonly instead: string };
}

/** The `waiters` text of libraries whose clients poll at their own intervals. */
export const POLLING_WAITERS = "Waiters poll and are not notified. The first one to poll acquires the lock.";
