import { Grant, Released, Verified } from "../../../lib/contract/actions/verb.ts";
import type { WritableFormat } from "../../../lib/contract/format.ts";
import { computeElapsedMs, type Moment } from "../../../server/locks/verbs/moment.ts";
import type { HeldLock } from "./locking-client.ts";
import { ApiError, type HttpAnswer, type RetryingHttpClient } from "./retrying-http-client.ts";

const ASK_MS = 4000;
/** A try to renew may take this share of the lease, so that several fit in before the deadline. */
const TRY = 1 / 6;

interface HttpHoldOptions {
  readonly format: WritableFormat;
  readonly renew: boolean;
}

/**
 * A hold as an app keeps it that has the API alone. Nobody tells it of a loss: it counts its own deadline, from before
 * it sent the request, and hears of an earlier loss when it renews.
 */
export class HttpHold implements HeldLock {
  readonly owner: string;
  readonly fence: string | null;
  readonly count: number;
  readonly asked: number;
  readonly #key: string;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #state: HeldLock["state"] = "held";
  #sentAt: Moment;
  #leftAtSendMs: number;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #renewTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(
    private readonly calls: RetryingHttpClient,
    { value, sentAt, asked }: HttpAnswer<Grant>,
    private readonly options: HttpHoldOptions,
  ) {
    this.owner = value.owner;
    this.fence = value.fence;
    this.count = value.count;
    this.asked = asked;
    this.#key = value.key;
    this.#leaseMs = value.leaseMs;
    this.#sentAt = sentAt;
    this.#leftAtSendMs = (value.waitedMs ?? 0) + value.remainingMs;
    this.#startDeadlineTimer();
    this.#startRenewalTimer();
  }

  get state(): HeldLock["state"] {
    this.#checkDeadline();
    return this.#state;
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  remainingMs(): number {
    if (this.#state === "lost" || this.#state === "released") return 0;
    return Math.max(0, this.#leftAtSendMs - computeElapsedMs(this.#sentAt));
  }

  assertHeld(): void {
    if (this.state !== "held") throw new ApiError("lost", 1);
  }

  async renew(): Promise<void> {
    this.assertHeld();
    const body = { leaseMs: this.#leaseMs, format: this.options.format };
    const { value, sentAt } = await this.#ask("renew", body, (answer) => Grant.parse(answer));
    if (this.state !== "held") return;
    this.#sentAt = sentAt;
    this.#leftAtSendMs = value.remainingMs;
    this.#startDeadlineTimer();
  }

  async verify(): Promise<void> {
    this.assertHeld();
    await this.#ask("verify", { fence: this.fence }, (answer) => Verified.parse(answer));
  }

  async release() {
    const wasLost = this.state === "lost";
    if (!wasLost) this.#state = "releasing";
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#renewTimer);
    await this.#renewing;
    const body = { owner: this.owner, format: this.options.format };
    const call = { lock: this.#key, verb: "release", body, forMs: ASK_MS } as const;
    const { value, asked } = await this.calls.request(call, (answer) => Released.parse(answer));
    if (!wasLost) this.#state = "released";
    return { outcome: value.outcome, count: value.count, asked };
  }

  /** Until the deadline: what comes later is of no use. */
  async #ask<Value>(verb: "renew" | "verify", more: object, parse: (answer: unknown) => Value) {
    const body = { owner: this.owner, ...more };
    const tryMs = Math.round(this.#leaseMs * TRY);
    try {
      return await this.calls.request(
        { lock: this.#key, verb, body, forMs: this.remainingMs(), tryMs },
        parse,
      );
    } catch (error) {
      if (error instanceof ApiError && error.code === "lost") this.#markLost();
      throw error;
    }
  }

  #markLost(): void {
    if (this.#state !== "held") return;
    this.#state = "lost";
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#renewTimer);
    this.#lost.abort();
  }

  #checkDeadline(): void {
    if (this.#state === "held" && this.remainingMs() === 0) this.#markLost();
  }

  #startDeadlineTimer(): void {
    clearTimeout(this.#deadlineTimer);
    this.#deadlineTimer = setTimeout(
      () => {
        this.#checkDeadline();
        if (this.#state === "held") this.#startDeadlineTimer();
      },
      Math.max(1, Math.ceil(this.remainingMs())),
    );
    this.#deadlineTimer.unref();
  }

  /** At a third of the lease, and again at once when that failed and time is left. */
  #startRenewalTimer(): void {
    if (!this.options.renew) return;
    const inMs = Math.max(50, this.remainingMs() - (this.#leaseMs * 2) / 3);
    this.#renewTimer = setTimeout(() => {
      if (this.state !== "held") return;
      this.#renewing = this.renew()
        .catch(() => undefined)
        .finally(() => {
          this.#renewing = undefined;
          if (this.state === "held") this.#startRenewalTimer();
        });
    }, inMs);
    this.#renewTimer.unref();
  }
}
