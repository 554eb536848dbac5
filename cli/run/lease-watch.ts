import type { HeldLock } from "./held-lock.ts";
import type { LeaseMargins } from "./lease-margins.ts";
import { addMs, computeMsUntil, getSharedNow, type SharedMoment } from "./shared-moment.ts";

export interface LeaseWatchEvents {
  /** Called when a renewal extends the lease to `deadline`. */
  onExtended(deadline: SharedMoment): void;
  /** Called at most once, when the command must be signaled because the lease was not renewed in time. */
  onNearEnd(): void;
}

const CHECKS_PER_LEASE = 40;
const CHECK_MS_MIN = 25;
const CHECK_MS_MAX = 250;
/** Maximum difference in ms between two readings of the same deadline. A later deadline comes from a renewal. */
const SAME_RENEWAL_MS = 5;

/** A timer for the lease of a held lock. The lock client extends the lease with each renewal. */
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

  /** Returns the time in milliseconds until the command must be signaled if the lease is not renewed. */
  getMsUntilSignal(): number {
    return computeMsUntil(this.#deadline) - this.margins.signalBeforeMs;
  }

  /** Returns the time in milliseconds until the command must be killed if the lease is not renewed. */
  getMsUntilKill(): number {
    return computeMsUntil(this.#deadline) - this.margins.killBeforeMs;
  }

  stop(): void {
    this.#state = "stopped";
    clearTimeout(this.#timer);
  }

  #scheduleCheck(): void {
    const inMs = Math.min(this.#everyMs, Math.max(1, Math.ceil(this.getMsUntilSignal())));
    // If this process was stopped, messages that the guardian sent during the stop are handled before the check.
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

  // Reads the clock before the remaining time. If this process is stopped between the two reads, the deadline is too
  // early, never too late.
  #readDeadline(): SharedMoment {
    const now = getSharedNow();
    return addMs(now, this.hold.remainingMs());
  }
}
