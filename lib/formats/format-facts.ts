/** What is known of the libraries behind a format, for the console, for liveness and for what may be done. */
export interface FormatFacts {
  /** As people call it. */
  readonly label: string;
  /** What stands in Redis, for people. */
  readonly layout: string;
  /** `unique`: one owner string names one hold. `recurs`: the next hold of the same owner has it again. */
  readonly owner: "unique" | "recurs";
  /**
   * Who prolongs the lease by itself: every holder, some, or none; and after which share of the lease, by default.
   */
  readonly renews: { readonly who: "all" | "some"; readonly afterShare: number } | { readonly who: "none" };
  /** What becomes of who waits when the lock is freed: who is woken, in which order. */
  readonly waiters: string;
  /** What its holder notices and does when the lock is freed under it. One to three sentences. */
  readonly oldOwner: string;
  /** The old owner may bring the lock back, or take the next one's: how, and what to do about it. */
  readonly comesBack?: string;
  /** Freeing it does harm. */
  readonly never?: { readonly why: string; readonly instead: string };
}

/** Of libraries whose clients try again at a time of their own. */
export const POLLING_WAITERS =
  "Nobody is told: who waits asks again by itself, and whoever asks first gets it.";
