/** The properties and methods of a hold that a group uses. */
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
 * The state of a group. `held`: all holds certainly exist until their local deadlines. `jeopardy`: the last renewal of
 * at least one hold failed. `lost`: at least one hold is lost, so another client may hold its lock. `releasing`,
 * `released`: at least one hold is being released or was released. `waiting`: at least one lock is released temporarily
 * while the client waits for a condition. Only `@lockkeeper/redis` supports conditions.
 */
export type GroupState = "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";

/**
 * The states other than `held`, in order of precedence. The state of a group is the first state in this list that any
 * of its holds has, or `held` if there is none.
 */
const STATES = ["lost", "releasing", "released", "waiting", "jeopardy"] as const satisfies GroupState[];

/**
 * The holds of several locks that were acquired together. If one hold is lost, the group is lost: `signal` aborts and
 * `assertHeld` throws. The other holds continue until they are released or expire.
 */
export class LockGroup<Member extends GroupMember> implements AsyncDisposable {
  readonly #lost = new AbortController();

  /** @param holds one hold per requested key, in the same order as the keys */
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

  /** Aborts, with a LostError as the reason, as soon as one hold is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** The loss of the first hold in `holds` that is lost; `undefined` if no hold is lost. */
  get loss(): Member["loss"] {
    return this.holds.find(({ loss }) => loss !== undefined)?.loss;
  }

  /**
   * Returns the hold for a key, for example to read its fencing token. Returns `undefined` if the group has no hold for
   * the key.
   */
  getHold(key: string): Member | undefined {
    return this.holds.find((hold) => hold.key === key);
  }

  /**
   * Returns the time until the earliest deadline in milliseconds, or 0 if a hold was lost or released, or is being
   * released.
   */
  remainingMs(): number {
    return Math.min(...this.holds.map((hold) => hold.remainingMs()));
  }

  /**
   * Throws a LostError if any hold was lost or released, or is being released. Call this method before each step that
   * has an external effect.
   */
  assertHeld(): void {
    for (const hold of this.holds) hold.assertHeld();
  }

  /**
   * Renews all holds now. Automatic renewal continues.
   *
   * @throws the errors of a hold's `renew`, after all renewals have settled
   */
  async renew(...options: Parameters<Member["renew"]>): Promise<void> {
    await settleAll(this.holds.map((hold) => hold.renew(...options)));
  }

  /**
   * Releases all holds. If a call fails, the next call retries only the releases that failed.
   *
   * @returns the outcome for each hold, in the same order as `holds`
   * @throws the errors of a hold's `release`, after all releases have settled
   */
  async release(
    ...options: Parameters<Member["release"]>
  ): Promise<Awaited<ReturnType<Member["release"]>>[]> {
    const released = this.holds.map((hold) => hold.release(...options));
    return (await settleAll(released)) as Awaited<ReturnType<Member["release"]>>[];
  }

  /**
   * Registers a listener that is called when an operator requests the release of one of the holds.
   *
   * @throws the errors of a hold's `onReleaseRequested`
   */
  onReleaseRequested(...listener: Parameters<Member["onReleaseRequested"]>): void {
    for (const hold of this.holds) hold.onReleaseRequested(...listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settleAll(this.holds.map((hold) => hold.release()));
  }
}

/**
 * Waits until all promises have settled, and returns their results.
 * @throws the error of the first promise that rejected, in the order of `pending`
 */
async function settleAll<Result>(pending: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(pending);
  return await Promise.all(pending);
}
