import type { HeldLock } from "./held-lock.ts";
import type { LeaseMargins } from "./lease-margins.ts";
import { addMs, computeMsUntil, getSharedNow, type SharedMoment } from "./shared-moment.ts";

export interface LeaseWatchEvents {
  /** Called when a renewal has moved the end of the lease to `deadline`. */
  onExtended(deadline: SharedMoment): void;
  /** Called at most once, when the lease was not renewed in time. */
  onNearEnd(): void;
}

const CHECKS_PER_LEASE = 40;
const CHECK_MS_MIN = 25;
const CHECK_MS_MAX = 250;
/** Two deadlines that differ by at most this many milliseconds are from the same renewal. */
const SAME_RENEWAL_MS = 5;

/** Observes the deadline of a hold, which its client extends with each renewal. */
export class LeaseWatch {
  readonly #everyMs: number;
  #deadline: SharedMoment;
  #timer: NodeJS.Timeout | undefined;
  #state: "watching" | "stopped" = "watching";

  constructor(
    private readonly hold: HeldLock,
    leaseMs: number,
    private readonly margins: LeaseMargins,
    private readonly events: LeaseWatchEvents,
  ) {
    this.#deadline = this.#readDeadline();
    this.#everyMs = Math.min(CHECK_MS_MAX, Math.max(CHECK_MS_MIN, leaseMs / CHECKS_PER_LEASE));
    this.#scheduleCheck();
  }

  get deadline(): SharedMoment {
    return this.#deadline;
  }

  /** Returns the milliseconds until the command must be signalled, unless the lease is renewed. */
  getMsUntilSignal(): number {
    return computeMsUntil(this.#deadline) - this.margins.signalBeforeMs;
  }

  /** Returns the milliseconds until the command must be killed, unless the lease is renewed. */
  getMsUntilKill(): number {
    return computeMsUntil(this.#deadline) - this.margins.killBeforeMs;
  }

  stop(): void {
    this.#state = "stopped";
    clearTimeout(this.#timer);
  }

  #scheduleCheck(): void {
    const inMs = Math.min(this.#everyMs, Math.max(1, Math.ceil(this.getMsUntilSignal())));
    // After a pause of this process, messages that the guardian sent in the meantime are handled before the check.
    this.#timer = setTimeout(() => setImmediate(() => this.#check()), inMs);
  }

  #check(): void {
    if (this.#state === "stopped") return;
    const deadline = this.#readDeadline();
    if (deadline.monotonicMs > this.#deadline.monotonicMs + SAME_RENEWAL_MS) {
      this.#deadline = deadline;
      this.events.onExtended(deadline);
    }
    if (this.getMsUntilSignal() > 0) {
      this.#scheduleCheck();
      return;
    }
    this.stop();
    this.events.onNearEnd();
  }

  // The clock is read first: if this process is stopped in between, the deadline is too early, never too late.
  #readDeadline(): SharedMoment {
    const now = getSharedNow();
    return addMs(now, this.hold.remainingMs());
  }
}
