import type { Released, ReleaseOptions, RenewOptions } from "./hold-options.ts";

/**
 * `held`: certain until the local deadline. `jeopardy`: still within the deadline, but the last renewal failed. `lost`:
 * another client may hold the lock. `released`: this count was released.
 */
export type HoldState = "held" | "jeopardy" | "releasing" | "released" | "lost";

/** One count of a hold. All counts of a hold share its fencing token, deadline and signal; each is released separately. */
export abstract class Hold implements AsyncDisposable {
  abstract readonly key: string;
  /** Identifies the hold in the console, the API and logs. */
  abstract readonly holdId: string;
  /** Fencing token, a decimal string: larger than those of all earlier holds of the key. */
  abstract readonly fence: string;
  abstract readonly owner: string;
  /** The re-entrancy count when this count was granted. */
  abstract readonly count: number;
  abstract readonly leaseMs: number;
  abstract readonly state: HoldState;
  /** Aborts with a LostError as the reason as soon as the hold is lost. */
  abstract readonly signal: AbortSignal;

  /** Returns the time until the local deadline in milliseconds; 0 if the hold was lost or released. */
  abstract remainingMs(): number;
  /** Throws unless the hold is certain. Call it before each step with visible effects. @throws LostError */
  abstract assertHeld(): void;
  /** Renews the hold now. Automatic renewal continues. @throws LostError, … */
  abstract renew(options?: RenewOptions): Promise<void>;
  /** Asks the server whether the hold still exists. @throws LostError, … */
  abstract verify(): Promise<void>;
  /** Re-enters the hold. @returns a hold that is released separately @throws LostError, … */
  abstract reenter(options?: RenewOptions): Promise<Hold>;
  /** Releases this count. For a hold that has ended, the outcome is `not_held`, not an error. @throws UnavailableError, … */
  abstract release(options?: ReleaseOptions): Promise<Released>;
  abstract [Symbol.asyncDispose](): Promise<void>;
}
