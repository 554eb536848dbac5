import type { WriteRefusal } from "../../../lib/contract/refusal.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import type { KeyspaceSubscriber, NotificationState } from "./keyspace-subscriber.ts";
import { DemotedError } from "./server-fingerprint.ts";
import { SubscriptionMonitor, type SubscriptionOptions } from "./subscription-monitor.ts";

const PROBE_EVERY_MS = 500;
/** Time without a successful probe after which the master counts as down, in ms. */
const DOWN_AFTER_MS = 1500;
/**
 * Interval, in ms, between tests that notifications arrive. Any client that may use CONFIG can turn notifications off.
 */
const DELIVERY_PROBE_EVERY_MS = 2000;

interface ConnectionListener {
  onUp(isBlind: boolean): void;
  onDown(): void;
  /** Called when notifications start or stop arriving. */
  onNotificationsChange(): void;
  /** Called when all messages that Redis sent before `until` (`performance.now()`) are known to have arrived. */
  onDelivered(until: number): void;
  /** Called when the master starts or stops refusing all writes, or the reason changes. */
  onWritesRefusedChange(): void;
}

/** Probes one master at intervals, and tracks whether the master responds and delivers notifications. */
export class MasterConnection {
  isUp = false;
  /** Number of times that the master went down. */
  interruptions = 0;
  /**
   * Time at which the master went down, in Unix ms on Lockkeeper's clock; `undefined` while the master is up. Before
   * the first successful probe, the time at which this object was created.
   */
  downSince: number | undefined = Date.now();
  roundTripUs: number | null = null;
  readonly #subscription: SubscriptionMonitor;
  #repliedAt = Number.NEGATIVE_INFINITY;
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

  /** ID of the current period of uninterrupted observation; `NO_CONTINUITY` while changes cannot be observed. */
  get continuityId(): string {
    return this.#subscription.continuityId;
  }

  get seesChanges(): boolean {
    return this.#subscription.seesChanges;
  }

  get notificationState(): NotificationState {
    return this.#subscription.state;
  }

  /** Why the master refused all writes at the last canary beat; `undefined` if it did not refuse all writes. */
  get writesRefused(): WriteRefusal | undefined {
    return this.#subscription.writesRefused;
  }

  /**
   * Time of the last successful probe (`performance.now()`), moved forward by any time for which this process was
   * suspended.
   */
  get repliedAt(): number {
    return this.#repliedAt;
  }

  /** Why the master is down; `undefined` if the master is up. */
  get downReason(): string | undefined {
    if (this.isUp) return undefined;
    return this.#downReason ?? "Redis is not responding. The data shown may be stale.";
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
   * Waits until all messages that Redis has sent have arrived, and checks that Redis still sends notifications. If a
   * notification may have been missed, the continuity id has changed when the returned promise resolves.
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

  // A suspended process receives no replies, so the time of a suspension does not count toward `DOWN_AFTER_MS`. If
  // Redis closed the connection during the suspension, the socket reports the closure.
  #tick(): void {
    const now = performance.now();
    this.#repliedAt += Math.max(0, now - this.#tickedAt - PROBE_EVERY_MS);
    this.#tickedAt = now;
    this.#probe();
  }

  readonly #probe = (): void => void this.#probeNow();

  async #probeNow(): Promise<void> {
    if (performance.now() - this.#repliedAt > DOWN_AFTER_MS) this.#markDown();
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#checkConnection();
    } catch (error) {
      // One failed probe does not mark the master as down. The master is down when no probe has succeeded for
      // `DOWN_AFTER_MS`.
      if (error instanceof DemotedError) this.#handleDemotion(error);
      else this.#downReason = describeErrorReply(error);
    } finally {
      this.#probing = false;
    }
    if (performance.now() - this.#repliedAt > DOWN_AFTER_MS) this.#markDown();
  }

  async #checkConnection(): Promise<void> {
    const subscription = this.#subscription;
    const sentAt = performance.now();
    let isWhole = await subscription.isDataIntact();
    const repliedAt = performance.now();
    const continuityBefore = subscription.continuityId;
    const wasLost = subscription.canResubscribe;
    if (wasLost) await subscription.subscribe();
    else await subscription.pingSubscriber();
    if (this.master.reads.shared.status !== "ready") throw new ReadsClosedError();
    if (!this.isUp || wasLost || !isWhole || repliedAt - this.#deliveryProbedAt > DELIVERY_PROBE_EVERY_MS) {
      isWhole = (await subscription.probeDelivery()) && isWhole;
      this.#deliveryProbedAt = performance.now();
    }
    this.#repliedAt = repliedAt;
    this.roundTripUs = Math.round((repliedAt - sentAt) * 1000);
    if (this.isUp && !wasLost && isWhole) {
      const isUnbroken = subscription.seesChanges && subscription.continuityId === continuityBefore;
      if (isUnbroken) this.listener.onDelivered(repliedAt);
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
    this.interruptions++;
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

/** Thrown when Redis responds, but the connection for reads is closed. */
class ReadsClosedError extends Error {}

/** Describes a failed probe. Returns `undefined` if Redis did not respond. */
function describeErrorReply(error: unknown): string | undefined {
  if (error instanceof ReadsClosedError) {
    return "Redis does not accept the connection for reads. The data shown may be stale.";
  }
  if (!isReplyError(error)) return undefined;
  return `Redis responds with an error (${error.message}). The data shown may be stale.`;
}
