import { withTimeout } from "../../concurrency/with-timeout.ts";
import { getCurrentMoment } from "../verbs/moment.ts";
import type { Hold } from "./hold.ts";

const BATCH_SIZE = 100;
/** A renewal is tried again this soon after it failed, or a tenth of the lease if that is sooner. */
const RETRY_MS = 250;
/** Holds that are due within this share of their lease are taken along. */
const BATCH_AHEAD_SHARE = 0.1;
/** A try may take this share of the lease, so that at least three fit in before the deadline. */
const TRY_SHARE = 1 / 6;
const TRY_MS_MIN = 50;

/**
 * Renews all holds of a process at a third of their leases: one timer, up to a hundred holds a script, on a
 * connection of its own so that nothing else can hold it up. It never stops because of an error, never renews what
 * is being released, and never past a hold's own deadline.
 */
export class Watchdog {
  readonly #dueAt = new Map<Hold, number>();
  readonly #inFlight = new Map<Hold, Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(
    /** What remains of each hold in ms; null where it is gone, undefined where that cannot be told yet. */
    private readonly renewMany: (
      holds: readonly Hold[],
      tryMs: number,
    ) => Promise<(number | null | undefined)[]>,
  ) {}

  watch(hold: Hold): void {
    this.#schedule(hold, hold.remainingMs() - (hold.leaseMs * 2) / 3);
    hold.signal.addEventListener("abort", () => this.#dueAt.delete(hold), { once: true });
  }

  /** After this no renewal of the hold is sent, and none is under way. */
  async unwatch(hold: Hold): Promise<void> {
    this.#dueAt.delete(hold);
    await this.#inFlight.get(hold);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueAt.clear();
  }

  #schedule(hold: Hold, inMs: number): void {
    const at = performance.now() + Math.max(0, inMs);
    this.#dueAt.set(hold, at);
    if (at < this.#timerAt) this.#armTimer(at);
  }

  #armTimer(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#renewDue(), Math.max(0, Math.ceil(at - performance.now())));
    this.#timer.unref();
  }

  #renewDue(): void {
    const now = performance.now();
    const due: Hold[] = [];
    let next = Number.POSITIVE_INFINITY;
    let isAnyDue = false;
    for (const [hold, at] of this.#dueAt) {
      if (at <= now) isAnyDue = true;
      if (at <= now + hold.leaseMs * BATCH_AHEAD_SHARE) due.push(hold);
      else next = Math.min(next, at);
    }
    this.#timerAt = Number.POSITIVE_INFINITY;
    // To ask for the state is to notice a deadline that has passed: nothing is renewed past it.
    if (isAnyDue) this.#renew(due.filter(isRenewable));
    else for (const hold of due) next = Math.min(next, this.#dueAt.get(hold) ?? next);
    if (next < this.#timerAt) this.#armTimer(next);
  }

  #renew(due: readonly Hold[]): void {
    for (let at = 0; at < due.length; at += BATCH_SIZE) {
      const batch = due.slice(at, at + BATCH_SIZE);
      for (const hold of batch) this.#dueAt.delete(hold);
      const renewal = this.#renewBatch(batch).finally(() => {
        for (const hold of batch) this.#inFlight.delete(hold);
      });
      for (const hold of batch) this.#inFlight.set(hold, renewal);
    }
  }

  async #renewBatch(batch: readonly Hold[]): Promise<void> {
    const sentAt = getCurrentMoment();
    const shortest = Math.min(...batch.map(({ leaseMs }) => leaseMs));
    try {
      const tryMs = Math.max(TRY_MS_MIN, shortest * TRY_SHARE);
      // Timers of one length end in the order they were set: what takes several calls says how far it came before.
      const remaining = await withTimeout(tryMs, this.renewMany(batch, tryMs));
      batch.forEach((hold, index) => {
        const remainingMs = remaining[index];
        if (remainingMs === undefined) this.#retry(hold);
        else if (remainingMs === null) hold.markLost("somebody else freed it, or it ended in Redis");
        else hold.applyRenewal(sentAt, remainingMs);
        if (remainingMs !== undefined) this.#reschedule(hold, hold.leaseMs / 3);
      });
    } catch {
      for (const hold of batch) this.#retry(hold);
    }
  }

  #retry(hold: Hold): void {
    hold.markInJeopardy();
    this.#reschedule(hold, Math.min(RETRY_MS, hold.leaseMs / 10));
  }

  #reschedule(hold: Hold, inMs: number): void {
    if (isRenewable(hold)) this.#schedule(hold, inMs);
  }
}

function isRenewable({ state }: Hold): boolean {
  return state === "held" || state === "jeopardy";
}
