import type { WriteRefusal } from "../../../lib/contract/refusal.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import type { KeyspaceSubscriber, NotificationState } from "./keyspace-subscriber.ts";
import { DemotedError } from "./server-fingerprint.ts";
import { SubscriptionMonitor, type SubscriptionOptions } from "./subscription-monitor.ts";

const PROBE_EVERY_MS = 500;
/** Redis is down when it has not answered for this long. */
const DOWN_AFTER_MS = 1500;
/** How often it is tried whether notifications still arrive: anyone may switch them off. */
const DELIVERY_PROBE_EVERY_MS = 2000;

interface ConnectionListener {
  onUp(isBlind: boolean): void;
  onDown(): void;
  /** Notifications arrive from now on, or do so no more. */
  onNotificationsChange(): void;
  /** Everything that Redis sent until then (performance.now()) has arrived, without a break. */
  onDelivered(until: number): void;
  /** The master began or ceased to refuse all writes, or does so for another reason. */
  onWritesRefusedChange(): void;
}

/** Whether we are in touch with a master. */
export class MasterConnection {
  isUp = false;
  /** How often it went down. */
  breaks = 0;
  /** Since when it is not; Unix milliseconds of our clock. */
  downSince: number | undefined = Date.now();
  roundTripUs: number | null = null;
  readonly #subscription: SubscriptionMonitor;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #deliveryProbedAt = Number.NEGATIVE_INFINITY;
  #tickedAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #downReason: string | undefined;

  constructor(
    private readonly master: Master,
    notifications: KeyspaceSubscriber,
    options: SubscriptionOptions,
    private readonly listener: ConnectionListener,
  ) {
    const { redis } = master;
    this.#subscription = new SubscriptionMonitor(master, notifications, options, {
      onStateChange: () => {
        if (this.isUp) listener.onNotificationsChange();
      },
      onWritesRefusedChange: () => listener.onWritesRefusedChange(),
    });
    redis.on("close", this.#markDown);
    for (const connection of this.#connections) connection.on("ready", this.#probe);
  }

  /** Names the present stretch of unbroken sight. */
  get continuityId(): string {
    return this.#subscription.continuityId;
  }

  get seesChanges(): boolean {
    return this.#subscription.seesChanges;
  }

  get notificationState(): NotificationState {
    return this.#subscription.state;
  }

  /** Why the master refuses all writes, as far as the last try shows. */
  get writesRefused(): WriteRefusal | undefined {
    return this.#subscription.writesRefused;
  }

  /** When (performance.now()) Redis last replied to a probe. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Why it is down. */
  get downReason(): string | undefined {
    if (this.isUp) return undefined;
    return this.#downReason ?? "Redis does not answer; what is shown may be out of date.";
  }

  start(): void {
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), PROBE_EVERY_MS);
    this.#probe();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#subscription.stop();
    this.master.redis.off("close", this.#markDown);
    for (const connection of this.#connections) connection.off("ready", this.#probe);
    this.isUp = false;
  }

  /**
   * Makes sure that all that Redis has sent us has arrived, and that it still sends it. What was missed has raised the
   * sight by then.
   */
  async confirmContinuity(): Promise<void> {
    if (await this.#subscription.confirmDelivery()) return;
    this.#subscription.breakContinuity();
    if (this.isUp) this.listener.onUp(true);
  }

  get #connections() {
    const { redis, reads, subscriber } = this.master;
    return [redis, reads.shared, subscriber];
  }

  // While we stood still ourselves no answer could be heard: that time says nothing of Redis. Had it closed the
  // connection meanwhile, we would be told.
  #tick(): void {
    const now = performance.now();
    this.#answeredAt += Math.max(0, now - this.#tickedAt - PROBE_EVERY_MS);
    this.#tickedAt = now;
    this.#probe();
  }

  readonly #probe = (): void => void this.#probeNow();

  async #probeNow(): Promise<void> {
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#markDown();
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#checkConnection();
    } catch (error) {
      // What else there is to do is to be down when it lasts; the next probe tries again.
      if (error instanceof DemotedError) this.#handleDemotion(error);
      else this.#downReason = describeErrorReply(error);
    } finally {
      this.#probing = false;
    }
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#markDown();
  }

  async #checkConnection(): Promise<void> {
    const subscription = this.#subscription;
    const sentAt = performance.now();
    let isWhole = await subscription.isDataIntact();
    const answeredAt = performance.now();
    const continuityBefore = subscription.continuityId;
    const wasLost = subscription.canResubscribe;
    if (wasLost) await subscription.subscribe();
    else await subscription.pingSubscriber();
    if (this.master.reads.shared.status !== "ready") throw new ReadsClosedError();
    if (!this.isUp || wasLost || !isWhole || answeredAt - this.#deliveryProbedAt > DELIVERY_PROBE_EVERY_MS) {
      isWhole = (await subscription.probeDelivery()) && isWhole;
      this.#deliveryProbedAt = performance.now();
    }
    this.#answeredAt = answeredAt;
    this.roundTripUs = Math.round((answeredAt - sentAt) * 1000);
    if (this.isUp && !wasLost && isWhole) {
      const isUnbroken = subscription.seesChanges && subscription.continuityId === continuityBefore;
      if (isUnbroken) this.listener.onDelivered(answeredAt);
      return;
    }
    if (!isWhole) subscription.breakContinuity();
    this.isUp = true;
    this.downSince = undefined;
    this.#downReason = undefined;
    this.listener.onUp(wasLost || !isWhole);
  }

  readonly #markDown = (): void => {
    if (!this.isUp) return;
    this.isUp = false;
    this.breaks++;
    this.downSince = Date.now();
    this.roundTripUs = null;
    this.listener.onDown();
  };

  #handleDemotion(error: DemotedError): void {
    this.#downReason = error.message;
    this.#markDown();
    this.master.reportDemotion();
  }
}

/** Redis responds, and the connection over which keys are read is not open. */
class ReadsClosedError extends Error {}

/** What a Redis that answers has against it; undefined when it does not answer. */
function describeErrorReply(error: unknown): string | undefined {
  if (error instanceof ReadsClosedError) {
    return "Redis does not accept the connection that reads keys; what is shown may be out of date.";
  }
  if (!isReplyError(error)) return undefined;
  return `Redis answers with an error (${error.message}); what is shown may be out of date.`;
}
