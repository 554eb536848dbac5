import { Hold, HoldStatus, Released } from "../../../lib/contract/actions/verb.ts";
import { parseHoldId } from "../../../server/formats/hold-id.ts";
import { computeElapsedMs, type Moment } from "../../../server/locks/verbs/moment.ts";
import type { HeldLock } from "./locking-client.ts";
import { ApiError, type HttpAnswer, type HttpCall, type RetryingHttpClient } from "./retrying-http-client.ts";

const ASK_MS = 4000;
/** A try to renew may take this share of the lease, so that several fit in before the deadline. */
const TRY = 1 / 6;

/**
 * A hold as an app keeps it that has the API alone. Nobody tells it of a loss: it counts its own deadline, from before
 * it sent the request, and hears of an earlier loss when it renews.
 */
export class HttpHold implements HeldLock {
  readonly token: string;
  readonly fence: string;
  readonly count: number;
  readonly leaseMs: number;
  readonly asked: number;
  readonly #holdId: string;
  readonly #key: string;
  readonly #lost = new AbortController();
  #state: HeldLock["state"] = "held";
  #sentAt: Moment;
  #leftAtSendMs: number;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #renewTimer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;

  constructor(
    private readonly calls: RetryingHttpClient,
    { value, sentAt, asked }: HttpAnswer<Hold>,
    private readonly isRenewed: boolean,
  ) {
    this.token = readToken(value);
    this.#holdId = value.holdId;
    this.fence = value.fence;
    this.count = value.count;
    this.asked = asked;
    this.#key = value.key;
    this.leaseMs = value.leaseMs;
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
    const call = { path: `/holds/${this.#holdId}/renew`, body: { leaseMs: this.leaseMs } };
    const { value, sentAt } = await this.#ask(call, (answer) => Hold.parse(answer));
    if (this.state !== "held") return;
    this.#sentAt = sentAt;
    this.#leftAtSendMs = value.remainingMs;
    this.#startDeadlineTimer();
  }

  async verify(): Promise<void> {
    this.assertHeld();
    const { value } = await this.#ask({ path: `/holds/${this.#holdId}` }, (answer) =>
      HoldStatus.parse(answer),
    );
    if (value.held) return;
    this.#markLost();
    throw new ApiError("lost", 1);
  }

  async reenter(): Promise<HeldLock> {
    this.assertHeld();
    const path = `/locks/${encodeURIComponent(this.#key)}/acquire`;
    const call = { path, body: { reenter: this.#holdId, leaseMs: this.leaseMs } };
    const entered = await this.#ask(call, (answer) => Hold.parse(answer));
    // Whether it kept its fence is for the checks.
    if (readToken(entered.value) !== this.token)
      throw new ApiError("another hold was entered", entered.asked);
    return new HttpHold(this.calls, entered, this.isRenewed);
  }

  async release() {
    const wasLost = this.state === "lost";
    if (!wasLost) this.#state = "releasing";
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#renewTimer);
    await this.#renewing;
    const call = { path: `/holds/${this.#holdId}/release`, body: {}, forMs: ASK_MS };
    const { value, asked } = await this.calls.request(call, (answer) => Released.parse(answer));
    if (!wasLost) this.#state = "released";
    return { outcome: value.outcome, count: value.count, asked };
  }

  /** Until the deadline: what comes later is of no use. */
  async #ask<Value>(call: Pick<HttpCall, "path" | "body">, parse: (answer: unknown) => Value) {
    const tryMs = Math.round(this.leaseMs * TRY);
    try {
      return await this.calls.request({ ...call, forMs: this.remainingMs(), tryMs }, parse);
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
    if (!this.isRenewed) return;
    const inMs = Math.max(50, this.remainingMs() - (this.leaseMs * 2) / 3);
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

/** @throws ApiError when the id names anything else than the hold it comes with */
function readToken({ holdId, key, format, fence }: Hold): string {
  const ref = parseHoldId(holdId);
  if (ref?.key !== key || ref.format !== format || ref.fence !== fence)
    throw new ApiError(`holdId of another hold: ${holdId}`, 1);
  return ref.token;
}
