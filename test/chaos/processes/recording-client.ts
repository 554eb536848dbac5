import { type Entry, type HoldKind, isSemaphore, NS_PER_MS } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";
import { describeFailure, getAttempts } from "./failure.ts";
import { HttpFailure } from "./http-hold.ts";
import type { AcquireRequest, HeldLock, LockingClient } from "./locking-client.ts";

/**
 * Interval in milliseconds at which deadlines are read. A renewal by the watchdog is only visible as a later deadline.
 */
const WATCH_INTERVAL_MS = 20;
const RENEWED_NS_MIN = 5 * NS_PER_MS;

/** A hold with the number (`id`) of the call that acquired it. */
export interface RecordedHold {
  readonly id: number;
  readonly hold: HeldLock;
  readonly lock: string;
  readonly kind: HoldKind;
  /** Token of the grant. A downgrade changes the token of `hold` but not this one. */
  readonly token: string;
}

/** The common history fields of a call that may be granted a hold. */
type EntryCall = Pick<Entry, "context" | "op" | "leaseMs" | "permits" | "limit"> & {
  readonly call: number;
  readonly lock: string;
  readonly kind: HoldKind;
};

/** Makes the lock calls of one context and records each call before it is sent and after its reply. */
export class RecordingClient {
  static #calls = 0;
  /** Functions that stop watching a hold, by the number of the call that acquired it. */
  readonly #watches = new Map<number, () => void>();

  constructor(
    private readonly client: LockingClient,
    private readonly journal: Journal,
    private readonly context: string,
    private readonly stop: AbortSignal,
  ) {}

  async acquire(lock: string, wish: AcquireRequest): Promise<RecordedHold | undefined> {
    const { leaseMs, waitMs, kind = "lock", permits, limit } = wish;
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "acquire", call, lock, kind, permits, limit, leaseMs } as const;
    this.journal.write({ ...what, type: "invoke", waitMs });
    return await this.#recordEntry(what, this.client.acquire(lock, { ...wish, signal: this.stop }));
  }

  /** Does nothing if the hold is known to be lost. */
  async reenter({ hold, lock, kind, token }: RecordedHold): Promise<RecordedHold | undefined> {
    if (hold.state !== "held") return undefined;
    const call = ++RecordingClient.#calls;
    const { leaseMs } = hold;
    const what = { context: this.context, op: "reenter", call, lock, kind, leaseMs } as const;
    this.journal.write({ ...what, token, type: "invoke" });
    return await this.#recordEntry(what, hold.reenter(), token);
  }

  /**
   * Records the reply of an acquire or a re-entry, and watches the granted hold.
   *
   * @param reentered token of the hold that is re-entered
   */
  async #recordEntry(
    what: EntryCall,
    entering: Promise<HeldLock>,
    reentered?: string,
  ): Promise<RecordedHold | undefined> {
    const { lock, call, kind } = what;
    try {
      const hold = await entering;
      const { fence } = hold;
      const token = reentered ?? hold.token;
      const t = this.journal.now();
      const told = { token, fence, deadline: this.#getDeadline(hold, t), ...getAttempts(hold) };
      // For a semaphore, `count` is the number of permits, which are acquired and released together.
      const counted = isSemaphore(kind) ? { count: 1, permits: hold.count } : { count: hold.count };
      this.journal.write({ ...what, type: "ok", ...told, ...counted }, t);
      const claim = { id: call, hold, lock, kind, token };
      this.#watchHold(claim);
      return claim;
    } catch (error) {
      const failure = describeFailure(error);
      // The clients also report `lost` if a re-entry was granted but the local deadline has passed.
      const isCertain = error instanceof HttpFailure && error.knowledge === "certain";
      const isOpen = what.op === "reenter" && failure.code === "lost" && !isCertain;
      const asked = reentered === undefined ? {} : { token: reentered };
      this.journal.write({ ...what, ...asked, ...failure, ...(isOpen ? { type: "info" } : {}) });
      return undefined;
    }
  }

  async renew({ id, hold, lock, token }: RecordedHold): Promise<void> {
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "renew", call, claim: id, lock, token } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      await hold.renew();
      const t = this.journal.now();
      this.journal.write({ ...what, type: "ok", fence: hold.fence, deadline: this.#getDeadline(hold, t) }, t);
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  /** Does nothing if the hold is known to be lost. */
  async verify({ id, hold, lock, token }: RecordedHold): Promise<void> {
    if (hold.verify === undefined || hold.state !== "held") return;
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "verify", call, claim: id, lock, token } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      await hold.verify();
      this.journal.write({ ...what, type: "ok" });
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  /** Downgrades a writer to a reader. @returns whether the hold is certainly a reader now */
  async downgrade({ id, hold, lock, token }: RecordedHold): Promise<boolean> {
    if (hold.state !== "held") return false;
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "downgrade", call, claim: id, lock, token } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      await hold.downgrade();
      this.journal.write({ ...what, type: "ok" });
      return true;
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
      return false;
    }
  }

  /** Releases the hold even if it is lost, as `withLock` does. */
  async release({ id, hold, lock, token }: RecordedHold): Promise<void> {
    const call = ++RecordingClient.#calls;
    const { fence } = hold;
    const what = { context: this.context, op: "release", call, claim: id, lock, token, fence } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      const released = await hold.release();
      const { outcome, count } = released;
      this.journal.write({ ...what, type: "ok", code: outcome, count, ...getAttempts(released) });
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  /**
   * Gives up all counts of a hold and waits for a condition of the lock.
   *
   * @param counts one entry for each count of the hold, in the order in which they were acquired
   * @returns the entries for the resumed hold and whether the wait was signalled; the same entries if the wait was
   * refused; `undefined` if the hold is lost
   */
  async awaitCondition(
    counts: readonly RecordedHold[],
    condition: string,
    waitMs: number,
  ): Promise<{ readonly counts: readonly RecordedHold[]; readonly isSignalled: boolean } | undefined> {
    const last = counts.at(-1);
    if (last?.hold.condition === undefined || last.hold.state !== "held") return undefined;
    const { hold, lock, kind, token } = last;
    const { fence, leaseMs } = hold;
    const call = ++RecordingClient.#calls;
    const id = ++RecordingClient.#calls;
    const what = { context: this.context, lock, condition, count: counts.length } as const;
    const givingUp = { ...what, op: "give_up", call, token, fence } as const;
    const resuming = { ...what, op: "resume", call: id, kind, leaseMs } as const;
    for (const { id: ended } of counts) this.#watches.get(ended)?.();
    const invokedAt = this.journal.write({ ...givingUp, type: "invoke", waitMs });
    this.journal.write({ ...resuming, type: "invoke" }, invokedAt);
    try {
      const isSignalled = await hold.condition?.(condition).await({ waitMs, signal: this.stop });
      const t = this.journal.now();
      const again = { token: hold.token, fence: hold.fence, deadline: this.#getDeadline(hold, t) };
      this.journal.write({ ...givingUp, type: "ok", code: isSignalled ? "signalled" : "timed_out" }, t);
      this.journal.write({ ...resuming, type: "ok", leaseMs: hold.leaseMs, ...again }, t);
      const resumed = counts.map((each) => ({ ...each, id, token: again.token }));
      this.#watchHold({ ...last, id, token: again.token });
      return { counts: resumed, isSignalled: isSignalled === true };
    } catch (error) {
      const isRefused = hold.state === "held" || hold.state === "jeopardy";
      const failure = { ...describeFailure(error), type: isRefused ? "fail" : "info" } as const;
      this.journal.write({ ...givingUp, ...failure });
      this.journal.write({ ...resuming, ...failure });
      if (!isRefused) return undefined;
      for (const each of counts) this.#watchHold(each);
      return { counts, isSignalled: false };
    }
  }

  /** Wakes the client that has waited longest for a condition, or all of its waiters. */
  async signal({ hold, lock, token }: RecordedHold, condition: string, who: "one" | "all"): Promise<void> {
    if (hold.condition === undefined || hold.state !== "held") return;
    const call = ++RecordingClient.#calls;
    const { fence } = hold;
    const what = { context: this.context, op: "signal", call, lock, token, fence, condition } as const;
    this.journal.write({ ...what, type: "invoke", code: who });
    try {
      const signals = hold.condition(condition);
      const count = who === "all" ? await signals.signalAll() : Number(await signals.signal());
      this.journal.write({ ...what, type: "ok", code: who, count });
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  isHeld({ id, hold, lock, token }: RecordedHold): boolean {
    const t = this.journal.now();
    const what = { context: this.context, op: "assert", claim: id, lock, token } as const;
    try {
      hold.assertHeld();
      this.journal.write({ ...what, type: "ok" }, t);
      return true;
    } catch {
      this.journal.write({ ...what, type: "fail" }, t);
      return false;
    }
  }

  #watchHold({ id, hold, lock, token }: RecordedHold): void {
    const { fence } = hold;
    const what = { context: this.context, claim: id, lock, token, fence } as const;
    let deadline = this.#getDeadline(hold, this.journal.now()) ?? Number.POSITIVE_INFINITY;
    const timer = setInterval(() => {
      if (hold.state !== "held" && hold.state !== "jeopardy") return clearInterval(timer);
      const t = this.journal.now();
      const seen = this.#getDeadline(hold, t);
      if (seen === undefined || Math.abs(seen - deadline) < RENEWED_NS_MIN) return;
      deadline = seen;
      this.journal.write({ ...what, op: "renew", type: "info", deadline }, t);
    }, WATCH_INTERVAL_MS);
    timer.unref();
    const onLost = () => this.journal.write({ ...what, op: "lost", type: "info" });
    if (hold.signal.aborted) onLost();
    else hold.signal.addEventListener("abort", onLost, { once: true });
    this.#watches.set(id, () => {
      clearInterval(timer);
      hold.signal.removeEventListener("abort", onLost);
      this.#watches.delete(id);
    });
  }

  /**
   * Returns the deadline of a hold. Returns `undefined` if the deadline has passed, because the client then reports a
   * remaining time of 0.
   */
  #getDeadline(hold: HeldLock, now: number): number | undefined {
    const remainingMs = hold.remainingMs();
    return remainingMs === 0 ? undefined : Math.round(now + remainingMs * NS_PER_MS);
  }
}
