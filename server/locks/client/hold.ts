import { randomUUID } from "node:crypto";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { LostError } from "../../errors/lock-errors.ts";
import { assertDurations } from "../verbs/durations.ts";
import type { Released } from "../verbs/verbs.ts";
import { createHoldLostError, type HoldLease } from "./hold-lease.ts";
import { assertReenterOptions, assertReleaseOptions } from "./options.ts";

/**
 * `held`: certain until the local deadline. `jeopardy`: still within the deadline, but the last renewal failed or is
 * late. `lost`: another client may hold the lock. `released`: this count was given back.
 */
export type HoldState = "held" | "jeopardy" | "releasing" | "released" | "lost";

export interface ReenterOptions {
  /** The hold has at least this left, in milliseconds; by default its own lease. */
  readonly leaseMs?: number | undefined;
}

export interface HoldReleaseOptions {
  /** For how long no client can acquire the lock after this, in milliseconds. */
  readonly reservedMs?: number | undefined;
}

export interface HoldReleaseRequest extends HoldReleaseOptions {
  /** The same at each try, so that Redis gives back one count. */
  readonly requestId: string;
}

/** What a hold needs of its client. */
export interface HoldCommands {
  renew(lease: HoldLease, leaseMs: number | undefined): Promise<void>;
  reenter(lease: HoldLease, options: ReenterOptions): Promise<Hold>;
  /** The process gives up one count of the lease. Resolves when no renewal of its last one is under way. */
  leave(lease: HoldLease): Promise<void>;
  release(lease: HoldLease, request: HoldReleaseRequest): Promise<Released>;
}

/**
 * One count of a hold. Counts of one hold share its token, fencing token, deadline and signal; each has a release of
 * its own.
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
    /** Re-entrancy count when this was granted. */
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

  get unit() {
    return this.#lease.unit;
  }

  /** Identifies the hold; Redis stores it in the lock. */
  get token(): string {
    return this.#lease.token;
  }

  /** Fencing token, a decimal string: larger than that of every hold of this key before. */
  get fence(): string {
    return this.#lease.fence;
  }

  /** Identifies the hold in the console, the API and logs. */
  get holdId(): string {
    return this.#lease.holdId;
  }

  /** A label for people. */
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

  /** Aborts as soon as the hold is lost, with a LostError as the reason. */
  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /** Why the hold is lost; undefined while it is not, and after a release in time. */
  get loss(): LostError | undefined {
    return this.state === "lost" ? this.#lease.loss : undefined;
  }

  /** Redis's clock as of now, Unix milliseconds. */
  get asOf(): number {
    return this.#lease.asOf;
  }

  /** Returns the time left by the local deadline in milliseconds; 0 after a loss or a release. */
  remainingMs(): number {
    return this.#end === undefined ? this.#lease.remainingMs() : 0;
  }

  /** Throws unless the hold is certain. Call it before each step whose effect others see. @throws LostError */
  assertHeld(): void {
    const { state } = this;
    if (state === "held" || state === "jeopardy") return;
    throw this.loss ?? createHoldLostError(this.#lease, "it was released");
  }

  /**
   * Renews the hold now. The watchdog does so by itself.
   *
   * @param leaseMs the hold has at least this left; by default its own lease
   * @throws LostError, UnavailableError, UnknownOutcomeError, NotReplicatedError, InvalidError
   */
  async renew(leaseMs?: number): Promise<void> {
    this.assertHeld();
    await this.#commands.renew(this.#lease, leaseMs);
  }

  /**
   * Enters the hold once more: its count in Redis rises by one. Does not wait, and does not exclude other counts.
   *
   * @returns a hold with a release of its own
   * @throws LostError, UnavailableError, UnknownOutcomeError, NotReplicatedError, InvalidError
   */
  async reenter(options: ReenterOptions = {}): Promise<Hold> {
    assertReenterOptions(options);
    this.assertHeld();
    return await this.#commands.reenter(this.#lease, options);
  }

  /**
   * Gives back this count; the last count releases the lock. Calling it twice gives back one count, and a call after a
   * failed one repeats that one, with its options. A hold that has ended is the outcome `not_held`, not an error.
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
