import { randomUUID } from "node:crypto";
import type { ReleaseRequestListener } from "../../../lib/client/release-requests.ts";
import type { WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { LostError } from "../../errors/lock-errors.ts";
import { assertConditionName } from "../verbs/conditions.ts";
import type { Released } from "../verbs/contract/grant.ts";
import { assertDurations } from "../verbs/input/durations.ts";
import { type AwaitOptions, Condition } from "./condition.ts";
import { createHoldLostError, type HoldLease } from "./hold-lease.ts";
import { assertListener, assertReenterOptions, assertReleaseOptions } from "./options.ts";

/**
 * The state of a `Hold` object. `held`: guaranteed until the local deadline. `jeopardy`: before the deadline, but the
 * last renewal failed or is late. `waiting`: given up while the client waits for a condition. `lost`: no longer
 * guaranteed, so another client may hold the lock. `releasing`: `release` was called and has not succeeded yet.
 * `released`: `release` has succeeded.
 */
export type HoldState = "held" | "jeopardy" | "waiting" | "releasing" | "released" | "lost";

export interface ReenterOptions {
  /** Minimum time to expiry after the re-entry, in milliseconds; defaults to the lease of the hold. */
  readonly leaseMs?: number | undefined;
}

export interface HoldReleaseOptions {
  /** Time, in milliseconds, for which no client can acquire the lock after this release. */
  readonly reservedMs?: number | undefined;
}

export interface HoldReleaseRequest extends HoldReleaseOptions {
  /** Id of the release. Every attempt uses the same id, so that repeated attempts decrease the count only once. */
  readonly requestId: string;
}

/** The operations that a hold delegates to its client. */
export interface HoldCommands {
  renew(lease: HoldLease, leaseMs: number | undefined): Promise<void>;
  reenter(lease: HoldLease, options: ReenterOptions): Promise<Hold>;
  /**
   * Decrements the number of unreleased `Hold` objects of the hold in this process, and cancels the hold's wait for a
   * condition. At 0, also stops the renewals, and resolves once no renewal is in progress.
   */
  leave(lease: HoldLease): Promise<void>;
  release(lease: HoldLease, request: HoldReleaseRequest): Promise<Released>;
  downgrade(lease: HoldLease): Promise<void>;
  /** Waits for a signal on a condition. Returns false if `waitMs` passed without a signal. */
  awaitCondition(lease: HoldLease, condition: string, options: AwaitOptions): Promise<boolean>;
  signalCondition(lease: HoldLease, condition: string, who: "one" | "all"): Promise<number>;
}

/**
 * A handle to a hold. The acquire and each re-entry return separate `Hold` objects, each of which must be released. All
 * `Hold` objects of the same hold share its token, fencing token, deadline and signal.
 */
export class Hold implements AsyncDisposable {
  readonly #lease: HoldLease;
  readonly #commands: HoldCommands;
  #end: "releasing" | "released" | "lost" | undefined;
  #leaving: Promise<void> | undefined;
  #releasing: Promise<Released> | undefined;
  #request: HoldReleaseRequest | undefined;

  constructor(
    lease: HoldLease,
    /** The re-entrancy count of the hold when this object was granted. For a semaphore, the number of permits. */
    readonly count: number,
    commands: HoldCommands,
  ) {
    this.#lease = lease;
    this.#commands = commands;
  }

  get key(): Key {
    return this.#lease.key;
  }

  get format(): WritableFormat {
    return this.#lease.format;
  }

  /** Kind of the lock. Becomes `read` after a downgrade. */
  get kind(): WritableKind {
    return this.#lease.kind;
  }

  get unit() {
    return this.#lease.unit;
  }

  /** Token that identifies the hold in the lock's Redis key. */
  get token(): string {
    return this.#lease.token;
  }

  /**
   * Fencing token as a decimal string, larger than those of all earlier holds of the key. Exception: readers share the
   * fencing token of the last writer. Changes with each wait for a condition.
   */
  get fence(): string {
    return this.#lease.fence;
  }

  /** Id of the hold in the console, the API and logs. */
  get holdId(): string {
    return this.#lease.holdId;
  }

  /** Label of the holder for display. */
  get owner(): string {
    return this.#lease.owner;
  }

  get leaseMs(): number {
    return this.#lease.leaseMs;
  }

  get state(): HoldState {
    if (this.#end !== undefined) return this.#end;
    const { state } = this.#lease;
    return state === "closed" ? "released" : state;
  }

  /** Aborts with a LostError as the reason as soon as the hold is lost. */
  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /** The error that describes the loss; `undefined` unless the state is `lost`. */
  get loss(): LostError | undefined {
    return this.state === "lost" ? this.#lease.loss : undefined;
  }

  /** Estimate of the current time on the Redis clock, in Unix milliseconds. */
  get asOf(): number {
    return this.#lease.asOf;
  }

  /** Returns the time until the local deadline in milliseconds; 0 unless the state is `held` or `jeopardy`. */
  remainingMs(): number {
    return this.#end === undefined ? this.#lease.remainingMs() : 0;
  }

  /**
   * Throws a LostError unless the state is `held` or `jeopardy`. Call `assertHeld` before each step with visible
   * effects.
   */
  assertHeld(): void {
    const { state } = this;
    if (state === "held" || state === "jeopardy") return;
    const why = state === "waiting" ? "it was given up to wait for a condition" : "it was released";
    throw this.loss ?? createHoldLostError(this.#lease, why);
  }

  /**
   * Renews the hold immediately, in addition to the automatic renewals of the watchdog.
   *
   * @param leaseMs minimum time to expiry after the renewal, in ms; defaults to the lease of the hold
   * @throws LostError, UnavailableError, UnknownOutcomeError, NotReplicatedError, InvalidError
   */
  async renew(leaseMs?: number): Promise<void> {
    this.assertHeld();
    await this.#commands.renew(this.#lease, leaseMs);
  }

  /**
   * Re-enters the hold, which increases its count in Redis by one. Never waits. Re-entry does not exclude other code
   * that uses the same hold: all `Hold` objects of the hold can be used concurrently.
   *
   * @returns a separate `Hold` object, which must also be released
   * @throws LostError, UnavailableError, UnknownOutcomeError, NotReplicatedError, InvalidError
   */
  async reenter(options: ReenterOptions = {}): Promise<Hold> {
    assertReenterOptions(options);
    this.assertHeld();
    return await this.#commands.reenter(this.#lease, options);
  }

  /**
   * Converts this writer's hold to a reader's hold and wakes waiting readers. No other writer can acquire the lock in
   * between. The hold keeps its fencing token, lease and signal, but its kind, token and `holdId` change. First release
   * all other `Hold` objects of the hold. If the outcome is unknown, call `downgrade` again: until it succeeds, the
   * hold is not renewed.
   *
   * @throws HeldError if the hold was re-entered; LostError, InvalidError, UnavailableError, UnknownOutcomeError,
   * NotReplicatedError
   */
  async downgrade(): Promise<void> {
    this.assertHeld();
    await this.#commands.downgrade(this.#lease);
  }

  /**
   * Returns a condition of the lock, like `Lock.newCondition` in Java. All holds of the lock share the conditions with
   * the same name. Sends no command to Redis. Only for plain and fair locks in the `redisson` format.
   *
   * @param name 1 to 64 letters, digits, dots, `_` or `-`
   * @throws InvalidError
   */
  condition(name: string): Condition {
    assertConditionName(name);
    return new Condition(name, {
      await: async (options) => {
        this.assertHeld();
        return await this.#commands.awaitCondition(this.#lease, name, options);
      },
      signal: async (who) => {
        this.assertHeld();
        return await this.#commands.signalCondition(this.#lease, name, who);
      },
    });
  }

  /**
   * Registers a listener that is called when an operator asks this client to release the hold. Registering the first
   * listener renews the hold once. From then on, operators can send requests. A request arrives immediately, or with
   * the next renewal if its message was lost. On a quorum, the listener is never called.
   *
   * Call `accept` or `refuse` on each request. After `accept`, stop the work and release the hold. All `Hold` objects
   * of the hold share one listener, and each call replaces the previous listener.
   *
   * @throws LostError, InvalidError
   */
  onReleaseRequested(listener: ReleaseRequestListener): void {
    assertListener(listener);
    this.assertHeld();
    this.#lease.releaseRequests.listen(listener);
  }

  /**
   * Releases this `Hold` object. If the hold was re-entered, only the release of its last `Hold` object releases the
   * lock. After a successful release, further calls have no effect. After a failure, the next call repeats the release
   * with the options of the first call. If the hold has already ended, the outcome is `not_held`.
   *
   * @throws UnavailableError, UnknownOutcomeError, InvalidError
   */
  release(options: HoldReleaseOptions = {}): Promise<Released> {
    this.#releasing ??= this.#release(options).catch((error: unknown) => {
      this.#releasing = undefined;
      throw error;
    });
    return this.#releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  async #release(options: HoldReleaseOptions): Promise<Released> {
    assertReleaseOptions(options);
    assertDurations(options);
    this.#request ??= { reservedMs: options.reservedMs, requestId: randomUUID() };
    this.#end ??= this.#lease.state === "lost" ? "lost" : "releasing";
    this.#leaving ??= this.#commands.leave(this.#lease);
    await this.#leaving;
    const released = await this.#commands.release(this.#lease, this.#request);
    if (this.#end === "releasing") this.#end = released.outcome === "not_held" ? "lost" : "released";
    return released;
  }
}
