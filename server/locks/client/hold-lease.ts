import { computeElapsedMs, type Moment } from "../../../lib/client/moment.ts";
import { ReleaseRequestInbox } from "../../../lib/client/release-requests.ts";
import type { TimestampUnit, WritableFormat, WritableKind } from "../../../lib/contract/format.ts";
import { type Key, toKeyFields } from "../../../lib/keys/key.ts";
import { LostError } from "../../errors/lock-errors.ts";
import { formatHoldId } from "../../formats/hold-id.ts";
import type { RenewableHold } from "../verbs/backend.ts";
import type { Grant } from "../verbs/contract/grant.ts";

/**
 * The state of a hold in this process. `waiting`: the hold was given up, or is being given up, to wait for a condition.
 * `closed`: this process has begun the final release of the hold.
 */
export type LeaseState = "held" | "jeopardy" | "waiting" | "lost" | "closed";

export interface LeaseEvents {
  /** Called when a renewal fails or is late. */
  onJeopardy(): void;
  /** Called when the hold is lost, or when its final release begins. */
  onEnd(): void;
}

/** A grant, with the time directly before its request was sent. */
export type TimedGrant = readonly [grant: Grant, sentAt: Moment];

/** Maximum duration of a timer, in ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The state that all `Hold` objects of one hold share: identity, deadline and loss. The local deadline counts from the
 * moment directly before the grant or renewal was requested, on the monotonic or the wall clock, whichever has advanced
 * further. The local deadline is therefore never later than the deadline in Redis.
 */
export class HoldLease implements RenewableHold {
  readonly key: Key;
  readonly format: WritableFormat;
  #kind: WritableKind;
  readonly unit: TimestampUnit | undefined;
  #token: string;
  #fence: string;
  readonly owner: string;
  /** Number of `Hold` objects that this process has not released, including pending re-entries. */
  openCounts = 1;
  /**
   * Set while the outcome of a downgrade is unknown. `isWatched`: whether the watchdog renewed the hold before the
   * downgrade.
   */
  uncertainDowngrade: { readonly isWatched: boolean } | undefined;
  /** Operators' requests to release the hold. */
  readonly releaseRequests = new ReleaseRequestInbox();
  #leaseMs: number;
  #sentAt: Moment;
  #remainingAtSendMs: number;
  #asOf: number;
  #state: LeaseState = "held";
  #loss: LostError | undefined;
  #deadlineTimer: NodeJS.Timeout | undefined;
  /** Cancels the wait for a condition. */
  #wait: AbortController | undefined;
  readonly #lost = new AbortController();

  constructor(
    [grant, sentAt]: TimedGrant,
    private readonly target: string,
    private readonly events: LeaseEvents,
  ) {
    const { key, format, kind = "lock", unit, token, fence, owner, leaseMs, remainingMs, asOf } = grant;
    this.key = key;
    this.format = format;
    this.#kind = kind;
    this.unit = unit;
    this.#token = token;
    this.#fence = fence;
    this.owner = owner;
    this.#leaseMs = leaseMs;
    this.#sentAt = sentAt;
    this.#remainingAtSendMs = remainingMs;
    this.#asOf = asOf;
    this.#armDeadline();
  }

  get kind(): WritableKind {
    return this.#kind;
  }

  get token(): string {
    return this.#token;
  }

  get fence(): string {
    return this.#fence;
  }

  get holdId(): string {
    return formatHoldId({ ...this.toRef(), target: this.target });
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  get state(): LeaseState {
    if (this.#isLive() && this.remainingMs() === 0) {
      this.markLost(createHoldLostError(this, "its lease ended before it was renewed"));
    }
    return this.#state;
  }

  /** The error that describes the loss; `undefined` if the hold is not lost. */
  get loss(): LostError | undefined {
    return this.#loss;
  }

  /** Aborts with a LostError as the reason when the hold is lost. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Estimate of the current time on the Redis clock, in Unix milliseconds, based on the last reply. */
  get asOf(): number {
    return Math.round(this.#asOf + computeElapsedMs(this.#sentAt));
  }

  toRef() {
    const { key, format, kind, unit, token, fence, owner } = this;
    return { key, format, kind, unit, token, fence, owner };
  }

  /** Returns the time until the local deadline in milliseconds; 0 if the state is `waiting`, `lost` or `closed`. */
  remainingMs(): number {
    if (!this.#isLive()) return 0;
    return Math.max(0, this.#remainingAtSendMs - computeElapsedMs(this.#sentAt));
  }

  /** Applies a downgrade, which changes the kind and token of the hold. */
  applyDowngrade({ kind = "lock", token }: Pick<Grant, "kind" | "token">): void {
    this.#kind = kind;
    this.#token = token;
  }

  /**
   * Sets the state to `waiting` and stops the deadline timer.
   *
   * @returns a signal that aborts if the wait is cancelled or the hold ends
   */
  beginWait(): AbortSignal {
    clearTimeout(this.#deadlineTimer);
    this.#state = "waiting";
    this.#wait = new AbortController();
    return this.#wait.signal;
  }

  /** Ends a wait that failed before the hold was given up. The hold and its deadline are unchanged. */
  refuseWait(): void {
    if (this.#state !== "waiting") return;
    this.#wait = undefined;
    this.#state = "held";
    this.#armDeadline();
  }

  /** Ends a wait after the lock was acquired again. The hold gets a new identity and deadline. */
  endWait([{ token, fence, leaseMs, remainingMs, asOf }, sentAt]: TimedGrant): void {
    this.#wait = undefined;
    this.#state = "held";
    [this.#token, this.#fence, this.#leaseMs] = [token, fence, leaseMs];
    [this.#sentAt, this.#remainingAtSendMs, this.#asOf] = [sentAt, remainingMs, asOf];
    this.#armDeadline();
  }

  /** Cancels the wait for a condition, if there is one. */
  cancelWait(): void {
    this.#wait?.abort();
  }

  /**
   * Applies a granted renewal, re-entry or downgrade. The deadline is unchanged if the state is neither `held` nor
   * `jeopardy`, for example because the reply arrived after the deadline.
   */
  applyGrant(
    { leaseMs, remainingMs, asOf }: Pick<Grant, "leaseMs" | "remainingMs" | "asOf">,
    sentAt: Moment,
  ) {
    // If the companion is missing, Redis does not know the lease.
    if (leaseMs > 0) this.#leaseMs = leaseMs;
    this.applyRenewal(sentAt, remainingMs, asOf);
  }

  /** Applies a renewal like `applyGrant`, from a reply that does not contain the lease. */
  applyRenewal(sentAt: Moment, remainingMs: number, asOf?: number): void {
    const { state } = this;
    if (state !== "held" && state !== "jeopardy") return;
    this.#state = "held";
    const laterByMs = sentAt.monotonic - this.#sentAt.monotonic;
    // No Lockkeeper request shortens a lease. The known deadline is therefore kept if the reply arrived out of order or
    // is consistent with that deadline: Redis read the remaining time at some moment between the request and now.
    const knownMs = this.remainingMs();
    const isEarlier = remainingMs - computeElapsedMs(sentAt) <= knownMs;
    if (isEarlier && (laterByMs < 0 || knownMs <= remainingMs)) return;
    this.#asOf = asOf ?? this.#asOf + laterByMs;
    this.#sentAt = sentAt;
    this.#remainingAtSendMs = remainingMs;
    this.#armDeadline();
  }

  markInJeopardy(): void {
    if (this.state !== "held") return;
    this.#state = "jeopardy";
    try {
      this.events.onJeopardy();
    } catch (error) {
      // Throws in a separate turn of the event loop, so that an error of the callback does not stop the watchdog.
      process.nextTick(() => {
        throw error;
      });
    }
  }

  /**
   * Marks the hold as lost, even if its state is `closed`, because a release can find that the hold has already ended.
   */
  markLost(loss: LostError): void {
    if (this.#state === "lost") return;
    this.#end("lost");
    this.#loss = loss;
    this.#lost.abort(loss);
  }

  close(): void {
    if (this.state !== "lost") this.#end("closed");
  }

  /** Whether the state is `held` or `jeopardy`, even if the deadline has passed. */
  #isLive(): boolean {
    return this.#state === "held" || this.#state === "jeopardy";
  }

  #end(state: LeaseState): void {
    this.#state = state;
    clearTimeout(this.#deadlineTimer);
    this.cancelWait();
    this.events.onEnd();
  }

  // The timer depends on one clock and the deadline on two clocks. The timer is therefore restarted until the deadline
  // has passed.
  #armDeadline(): void {
    clearTimeout(this.#deadlineTimer);
    const waitMs = Math.min(TIMER_MS_MAX, Math.max(1, Math.ceil(this.remainingMs())));
    this.#deadlineTimer = setTimeout(() => {
      const { state } = this;
      if (state === "held" || state === "jeopardy") this.#armDeadline();
    }, waitMs);
    this.#deadlineTimer.unref();
  }
}

export function createHoldLostError(
  { key, owner, fence }: Pick<HoldLease, "key" | "owner" | "fence">,
  why: string,
  options?: ErrorOptions,
): LostError {
  return new LostError(
    `This hold of ${key} has ended: ${why}. Stop the work that it protects.`,
    { ...toKeyFields(key), owner, fence },
    options,
  );
}
