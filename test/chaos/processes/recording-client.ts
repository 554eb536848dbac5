import { type Entry, NS_PER_MS } from "../history/entry.ts";
import type { Journal } from "../history/journal.ts";
import { HttpFailure } from "./http-hold.ts";
import type { AcquireRequest, Attempts, HeldLock, LockingClient } from "./locking-client.ts";

/** Interval at which deadlines are read, because only the deadline shows a renewal by the watchdog. */
const WATCH_INTERVAL_MS = 20;
const RENEWED_NS_MIN = 5 * NS_PER_MS;

/** A hold, and the number of the call that acquired it. */
export interface RecordedHold {
  readonly id: number;
  readonly hold: HeldLock;
  readonly lock: string;
}

/** The recorded fields of a call that may acquire a hold. */
type EntryCall = Pick<Entry, "context" | "op" | "leaseMs"> & { readonly call: number; readonly lock: string };

/** Records the lock calls of one context: before each call, and when it is answered. */
export class RecordingClient {
  static #calls = 0;

  constructor(
    private readonly client: LockingClient,
    private readonly journal: Journal,
    private readonly context: string,
    private readonly stop: AbortSignal,
  ) {}

  async acquire(lock: string, wish: AcquireRequest): Promise<RecordedHold | undefined> {
    const { leaseMs, waitMs } = wish;
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "acquire", call, lock, leaseMs } as const;
    this.journal.write({ ...what, type: "invoke", waitMs });
    return await this.#recordEntry(what, this.client.acquire(lock, { ...wish, signal: this.stop }));
  }

  /** Re-enters a hold, unless it is known to be lost. */
  async reenter({ hold, lock }: RecordedHold): Promise<RecordedHold | undefined> {
    if (hold.state !== "held") return undefined;
    const call = ++RecordingClient.#calls;
    const { token, leaseMs } = hold;
    const what = { context: this.context, op: "reenter", call, lock, token, leaseMs } as const;
    this.journal.write({ ...what, type: "invoke" });
    return await this.#recordEntry(what, hold.reenter());
  }

  async #recordEntry(what: EntryCall, entering: Promise<HeldLock>): Promise<RecordedHold | undefined> {
    const { lock, call } = what;
    try {
      const hold = await entering;
      const { token, fence, count } = hold;
      const t = this.journal.now();
      const told = { token, fence, count, deadline: this.#getDeadline(hold, t), ...getAttempts(hold) };
      this.journal.write({ ...what, type: "ok", ...told }, t);
      const claim = { id: call, hold, lock };
      this.#watchHold(claim);
      return claim;
    } catch (error) {
      const failure = describeFailure(error);
      // The libraries also report `lost` for a re-entry that was granted after their own deadline had passed.
      const isCertain = error instanceof HttpFailure && error.knowledge === "certain";
      const isOpen = what.op === "reenter" && failure.code === "lost" && !isCertain;
      this.journal.write({ ...what, ...failure, ...(isOpen ? { type: "info" } : {}) });
      return undefined;
    }
  }

  async renew({ id, hold, lock }: RecordedHold): Promise<void> {
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "renew", call, claim: id, lock, token: hold.token } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      await hold.renew();
      const t = this.journal.now();
      this.journal.write({ ...what, type: "ok", fence: hold.fence, deadline: this.#getDeadline(hold, t) }, t);
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  /** Verifies a hold, unless it is known to be lost. */
  async verify({ id, hold, lock }: RecordedHold): Promise<void> {
    if (hold.verify === undefined || hold.state !== "held") return;
    const call = ++RecordingClient.#calls;
    const what = { context: this.context, op: "verify", call, claim: id, lock, token: hold.token } as const;
    this.journal.write({ ...what, type: "invoke" });
    try {
      await hold.verify();
      this.journal.write({ ...what, type: "ok" });
    } catch (error) {
      this.journal.write({ ...what, ...describeFailure(error) });
    }
  }

  /** Releases a hold even if it is lost, like `withLock`. */
  async release({ id, hold, lock }: RecordedHold): Promise<void> {
    const call = ++RecordingClient.#calls;
    const { token, fence } = hold;
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

  isHeld({ id, hold, lock }: RecordedHold): boolean {
    const t = this.journal.now();
    const what = { context: this.context, op: "assert", claim: id, lock, token: hold.token } as const;
    try {
      hold.assertHeld();
      this.journal.write({ ...what, type: "ok" }, t);
      return true;
    } catch {
      this.journal.write({ ...what, type: "fail" }, t);
      return false;
    }
  }

  #watchHold({ id, hold, lock }: RecordedHold): void {
    const { token, fence } = hold;
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
  }

  /** Returns the deadline; undefined if it had passed before its holder looked, at an unknown time. */
  #getDeadline(hold: HeldLock, now: number): number | undefined {
    const remainingMs = hold.remainingMs();
    return remainingMs === 0 ? undefined : Math.round(now + remainingMs * NS_PER_MS);
  }
}

const REFUSED = ["held", "timeout", "queue_full", "unavailable", "lost"];

/**
 * Describes a failed call. What was certainly not executed is a failure; what may have been or may yet be executed is
 * `info`.
 */
function describeFailure(error: unknown) {
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
  const asked = getAttempts(error instanceof Error && "asked" in error ? (error as Attempts) : {});
  // An earlier attempt without an answer may still be executed.
  const isCertain = REFUSED.includes(code) && asked.asked === undefined;
  return { type: isCertain ? ("fail" as const) : ("info" as const), code, ...asked };
}

function getAttempts({ asked = 1 }: Attempts): Attempts {
  return asked > 1 ? { asked } : {};
}
