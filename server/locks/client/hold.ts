import { randomUUID } from "node:crypto";
import type { Grant, Released } from "../../../lib/contract/actions/verb.ts";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { computeElapsedMs, getCurrentMoment, type Moment } from "../verbs/moment.ts";

/**
 * `held`: certainly ours until the local deadline. `jeopardy`: still within it, but the last renewal failed or is
 * late. `lost`: not ours any more, or not certainly. `released`: given back by us.
 */
export type HoldState = "held" | "jeopardy" | "releasing" | "released" | "lost";

export interface HoldEvents {
  /** A renewal failed or is late; the hold is still ours until its deadline. */
  readonly onJeopardy?: ((hold: Hold) => void) | undefined;
}

export interface HoldRelease {
  readonly reservedMs: number | undefined;
  readonly requestId: string;
}

/** What a hold needs of the one who handed it out. */
export interface HoldCommands {
  renew(hold: Hold, leaseMs: number, onSend: () => void): Promise<Grant>;
  release(hold: Hold, ask: HoldRelease): Promise<Released>;
}

/**
 * A lock as its holder has it. Its deadline is local: counted from before the request was sent, on the clock that
 * ran further, so it never ends later than Redis's.
 */
export class Hold {
  readonly key: Key;
  readonly owner: string;
  readonly fence: string | null;
  #count: number;
  #leaseMs: number;
  #sentAt: Moment;
  #remainingAtSendMs: number;
  #state: HoldState = "held";
  #releasing: Promise<Released> | undefined;
  // Asked again after its answer was lost, a release must not give back a second count.
  readonly #releaseId = randomUUID();
  #deadlineTimer: NodeJS.Timeout | undefined;
  readonly #lost = new AbortController();

  constructor(
    key: Key,
    readonly format: WritableFormat,
    [grant, sentAt]: readonly [grant: Grant, sentAt: Moment],
    private readonly commands: HoldCommands,
    private readonly events: HoldEvents = {},
    /** Who acquired it, where that matters. */
    readonly principal?: string,
  ) {
    this.key = key;
    this.owner = grant.owner;
    this.fence = grant.fence;
    this.#count = grant.count;
    this.#leaseMs = grant.leaseMs;
    this.#sentAt = sentAt;
    this.#remainingAtSendMs = grant.remainingMs;
    this.#armDeadline();
  }

  /** Re-entrancy count as it was when this was granted. */
  get count(): number {
    return this.#count;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  get state(): HoldState {
    this.#checkDeadline();
    return this.#state;
  }

  /** Ends with `lost` as its reason, as soon as the hold is not certainly ours any more. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Time left by the local deadline; 0 when there is none. */
  remainingMs(): number {
    if (this.#state === "lost" || this.#state === "released") return 0;
    return Math.max(0, this.#remainingAtSendMs - computeElapsedMs(this.#sentAt));
  }

  /** Call it before each step whose effect others see. @throws LockkeeperError lost */
  assertHeld(): void {
    this.#checkDeadline();
    if (this.#state === "held" || this.#state === "jeopardy") return;
    throw this.#state === "lost" ? this.#lost.signal.reason : createHoldLostError(this, "it was released");
  }

  /** @throws LockkeeperError lost, unavailable, unknown_outcome */
  async renew(leaseMs = this.#leaseMs): Promise<void> {
    this.assertHeld();
    let sentAt = getCurrentMoment();
    // What is left is told by the try that was answered: the time of those before is not taken off it.
    const onSend = () => {
      sentAt = getCurrentMoment();
    };
    try {
      const grant = await this.commands.renew(this, leaseMs, onSend);
      this.#leaseMs = leaseMs;
      this.applyRenewal(sentAt, grant.remainingMs);
    } catch (error) {
      if (error instanceof LostError) this.markLost(error.message);
      else this.markInJeopardy();
      throw error;
    }
  }

  /**
   * Gives one count back. Releasing twice is one release; releasing late is an outcome, never an error.
   *
   * @param options `reservedMs`: for how long nobody may take the lock after this
   */
  release({ reservedMs }: { readonly reservedMs?: number } = {}): Promise<Released> {
    this.#releasing ??= this.#release(reservedMs).catch((error: unknown) => {
      this.#releasing = undefined;
      throw error;
    });
    return this.#releasing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** A renewal was answered. One that comes after the deadline does not bring the hold back. */
  applyRenewal(sentAt: Moment, remainingMs: number): void {
    this.#checkDeadline();
    if (this.#state !== "held" && this.#state !== "jeopardy") return;
    this.#state = "held";
    this.#sentAt = sentAt;
    this.#remainingAtSendMs = remainingMs;
    this.#armDeadline();
  }

  markInJeopardy(): void {
    this.#checkDeadline();
    if (this.#state !== "held") return;
    this.#state = "jeopardy";
    try {
      this.events.onJeopardy?.(this);
    } catch (error) {
      // As with a signal's listeners: what they throw is for the process to hear of, and stops no watchdog.
      process.nextTick(() => {
        throw error;
      });
    }
  }

  markLost(why: string): void {
    if (this.#state === "lost" || this.#state === "released" || this.#state === "releasing") return;
    this.#state = "lost";
    clearTimeout(this.#deadlineTimer);
    this.#lost.abort(createHoldLostError(this, why));
  }

  async #release(reservedMs: number | undefined): Promise<Released> {
    const wasLost = this.state === "lost";
    if (!wasLost) this.#state = "releasing";
    clearTimeout(this.#deadlineTimer);
    const released = await this.commands.release(this, { reservedMs, requestId: this.#releaseId });
    if (!wasLost) this.#state = "released";
    return released;
  }

  #checkDeadline(): void {
    const isOurs = this.#state === "held" || this.#state === "jeopardy";
    if (isOurs && this.remainingMs() === 0) this.markLost("its lease ended before it was renewed");
  }

  // Re-armed until it is over: a timer counts on one clock, and the deadline is on both.
  #armDeadline(): void {
    clearTimeout(this.#deadlineTimer);
    const waitMs = Math.min(2 ** 31 - 1, Math.max(1, Math.ceil(this.remainingMs())));
    this.#deadlineTimer = setTimeout(() => {
      this.#checkDeadline();
      if (this.#state === "held" || this.#state === "jeopardy") this.#armDeadline();
    }, waitMs);
    this.#deadlineTimer.unref();
  }
}

function createHoldLostError({ key, owner, fence }: Hold, why: string): LostError {
  return new LostError(`${owner} does not hold ${key} any more: ${why}. Stop what it protects.`, {
    key,
    owner,
    fence,
  });
}
