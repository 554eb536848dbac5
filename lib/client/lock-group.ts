/** The part of a hold that a group uses. */
export interface GroupMember {
  readonly key: string;
  readonly state: GroupState;
  readonly signal: AbortSignal;
  readonly loss: Error | undefined;
  remainingMs(): number;
  assertHeld(): void;
  renew(...options: never[]): Promise<void>;
  onReleaseRequested(...listener: never[]): void;
  release(...options: never[]): Promise<unknown>;
}

/**
 * `held`: all holds are certain until the deadline. `jeopardy`: the last renewal of one failed. `lost`: one is lost, so
 * another client may hold its lock. `releasing`, `released`: at least one is being released or was released. `waiting`: one was
 * given up to wait for a condition, which only `@lockkeeper/redis` has.
 */
export type GroupState = "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";

/** The states in order of precedence. A group has the first of them that any of its holds has. */
const STATES = ["lost", "releasing", "released", "waiting", "jeopardy"] as const satisfies GroupState[];

/**
 * The holds of several locks that were acquired together. The loss of one is the loss of the group: its signal aborts, and
 * `assertHeld` throws. The other holds continue until they are released or expire.
 */
export class LockGroup<Member extends GroupMember> implements AsyncDisposable {
  readonly #lost = new AbortController();

  /** @param holds in the order of the requested keys */
  constructor(readonly holds: readonly Member[]) {
    for (const { signal } of holds) {
      const abort = () => this.#lost.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    }
  }

  get state(): GroupState {
    const states = new Set(this.holds.map(({ state }) => state));
    return STATES.find((state) => states.has(state)) ?? "held";
  }

  /** Aborts with a LostError as the reason as soon as one hold is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** The loss of the first hold that is lost; `undefined` if there is none. */
  get loss(): Member["loss"] {
    return this.holds.find(({ loss }) => loss !== undefined)?.loss;
  }

  /** Returns the hold of one of the keys, for example for its fencing token; `undefined` for other keys. */
  getHold(key: string): Member | undefined {
    return this.holds.find((hold) => hold.key === key);
  }

  /** Returns the time until the earliest deadline in milliseconds; 0 if a hold was lost or released. */
  remainingMs(): number {
    return Math.min(...this.holds.map((hold) => hold.remainingMs()));
  }

  /** Throws a LostError unless all holds are certain. Call it before each step with visible effects. */
  assertHeld(): void {
    for (const hold of this.holds) hold.assertHeld();
  }

  /**
   * Renews all holds now. The client does this automatically unless that was turned off.
   *
   * @throws like `renew` of a hold, after all renewals have settled
   */
  async renew(...options: Parameters<Member["renew"]>): Promise<void> {
    await settleAll(this.holds.map((hold) => hold.renew(...options)));
  }

  /**
   * Releases all holds. A call after a failed one retries only the releases that failed.
   *
   * @returns the outcome of each hold, in the order of `holds`
   * @throws like `release` of a hold, after all releases have settled
   */
  async release(
    ...options: Parameters<Member["release"]>
  ): Promise<Awaited<ReturnType<Member["release"]>>[]> {
    const released = this.holds.map((hold) => hold.release(...options));
    return (await settleAll(released)) as Awaited<ReturnType<Member["release"]>>[];
  }

  /** Calls the listener when an operator asks for the release of one of the locks. @throws as for a hold */
  onReleaseRequested(...listener: Parameters<Member["onReleaseRequested"]>): void {
    for (const hold of this.holds) hold.onReleaseRequested(...listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settleAll(this.holds.map((hold) => hold.release()));
  }
}

/**
 * Waits until all promises have settled.
 * @throws the first error
 */
async function settleAll<Result>(pending: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(pending);
  return await Promise.all(pending);
}
