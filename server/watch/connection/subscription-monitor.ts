import type { WriteRefusal } from "../../../lib/contract/refusal.ts";
import { isReplyError } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import { NO_CONTINUITY } from "../holds/hold-version.ts";
import { Canary, type CanaryBeat } from "./canary.ts";
import {
  ensureNotificationSetting,
  type KeyspaceSubscriber,
  type NotificationSetting,
  type NotificationState,
  toNotificationState,
} from "./keyspace-subscriber.ts";
import { DemotedError, readServerFingerprint, type ServerFingerprint } from "./server-fingerprint.ts";

export interface SubscriptionOptions {
  readonly db: number;
  readonly notifications: "off" | "set";
  /** If true, Lockkeeper writes nothing, and INFO replaces the canary. */
  readonly readOnly: boolean;
}

export interface SubscriptionEvents {
  /** Called when notifications start or stop arriving. */
  onStateChange(): void;
  /** Called when Redis starts or stops refusing all writes, or the reason changes. */
  onWritesRefusedChange(): void;
}

let continuityCount = 0;

/**
 * Monitors whether Lockkeeper observes all changes on a master without a gap: the subscriber stays connected, Redis
 * sends the required notifications, and no key disappears without a notification.
 */
export class SubscriptionMonitor {
  /**
   * Why Redis refused all writes at the last canary beat. `undefined` if Redis accepted the beat or refused it for
   * another reason, such as a missing permission, or if there is no canary.
   */
  writesRefused: WriteRefusal | undefined;
  state: NotificationState = { state: "off", detail: "Not checked yet." };
  readonly #canary: Canary;
  #continuity = ++continuityCount;
  #isSubscribed = false;
  #fingerprint: ServerFingerprint | undefined;
  #canWrite: boolean;
  #canReceiveCanary = false;
  #subscribeRefusal: string | undefined;
  #refusedSetting: NotificationSetting | undefined;

  constructor(
    private readonly master: Master,
    private readonly notifications: KeyspaceSubscriber,
    private readonly options: SubscriptionOptions,
    private readonly events: SubscriptionEvents,
  ) {
    this.#canary = new Canary(master, options.db);
    this.#canWrite = !options.readOnly;
    master.subscriber.on("close", this.#markLost);
  }

  /** ID of the current period of uninterrupted observation; `NO_CONTINUITY` while changes cannot be observed. */
  get continuityId(): string {
    return this.seesChanges ? String(this.#continuity) : NO_CONTINUITY;
  }

  get seesChanges(): boolean {
    return this.#isSubscribed && this.state.state === "on";
  }

  /**
   * Whether to try to subscribe: the subscriber is not subscribed, and Redis has not refused a subscription on this
   * connection.
   */
  get canResubscribe(): boolean {
    return !this.#isSubscribed && this.#subscribeRefusal === undefined;
  }

  /** Starts a new observation period. Call this method when changes may have been missed. */
  breakContinuity(): void {
    this.#continuity = ++continuityCount;
  }

  stop(): void {
    this.master.subscriber.off("close", this.#markLost);
  }

  /**
   * Waits until all messages that Redis has sent have arrived.
   *
   * @returns false if keys were removed without notifications
   */
  async confirmDelivery(): Promise<boolean> {
    if (!this.#canWrite) await this.pingSubscriber();
    const isWhole = await Promise.all([this.#canWrite || this.isDataIntact(), this.probeDelivery()]);
    return isWhole.every(Boolean);
  }

  /**
   * Returns false if keys were removed without notifications, for example by FLUSHALL. Checks the canary, or INFO if
   * there is no canary.
   *
   * @throws DemotedError if INFO shows that the server is now a replica, or another error if Redis is unreachable
   */
  async isDataIntact(): Promise<boolean> {
    if (this.#canWrite) {
      const isPresent = await this.#canary.isPresent();
      if (isPresent !== "forbidden") return isPresent;
      this.#canWrite = false;
    }
    const before = this.#fingerprint;
    const now = await readServerFingerprint(this.master.redis);
    if (now.replicaOf !== undefined) throw new DemotedError(this.master.name, now.replicaOf);
    this.#fingerprint = now;
    return before === undefined || (before.data === now.data && before.wipes === now.wipes);
  }

  /**
   * Sends PING to detect a half-open connection, and reconnects if there is no reply. When the reply arrives, all
   * messages that Redis sent before the reply have also arrived. Does nothing if the subscriber is not subscribed.
   */
  async pingSubscriber(): Promise<void> {
    if (!this.#isSubscribed) return;
    const { subscriber } = this.master;
    try {
      await subscriber.ping();
    } catch (error) {
      // While Redis cannot save its data, even PING fails with an error reply (MISCONF). The connection still works.
      if (isReplyError(error)) return;
      this.#markLost();
      subscriber.disconnect(true);
    }
  }

  async subscribe(): Promise<void> {
    const { subscriber } = this.master;
    try {
      await this.notifications.subscribe();
    } catch (error) {
      this.#subscribeRefusal = `The Redis user may not subscribe (${getRefusalMessage(error)}); Lockkeeper polls instead.`;
      this.state = { state: "off", detail: this.#subscribeRefusal };
      return;
    }
    if (this.#canWrite) {
      this.#canReceiveCanary = await this.#canary.subscribe().then(
        () => true,
        (error) => getRefusalMessage(error) === "",
      );
    }
    if (subscriber.status !== "ready") throw new Error("The subscriber's connection broke again");
    this.#continuity = ++continuityCount;
    this.#isSubscribed = true;
  }

  /**
   * Tests whether notifications arrive, and updates `state`.
   *
   * @returns false if the canary was missing or had an unexpected value
   * @throws DemotedError if the server is now a replica, or another error if Redis is unreachable
   */
  async probeDelivery(): Promise<boolean> {
    const setting = await this.#readSetting();
    const beat = await this.#beatCanary();
    if (setting !== undefined) this.#updateState(beat, setting);
    return beat?.outcome !== "written" || beat.wasIntact;
  }

  async #beatCanary(): Promise<CanaryBeat | undefined> {
    if (!this.#canWrite) return undefined;
    const beat = await this.#canary.beat(this.#isSubscribed);
    this.#setWritesRefused(
      beat.outcome === "refused" && beat.because === "not_now" ? beat.reason : undefined,
    );
    if (beat.outcome === "written" || beat.because === "not_now") return beat;
    if (beat.because === "replica") {
      const { replicaOf } = await readServerFingerprint(this.master.redis).catch(() => ({
        replicaOf: undefined,
      }));
      throw new DemotedError(this.master.name, replicaOf);
    }
    if (beat.because === "forbidden") this.#canWrite = false;
    return beat;
  }

  /**
   * Checks Redis's notification setting, and enables the required notifications if Lockkeeper is configured to do so.
   * Returns `undefined` if the Redis user is not allowed to subscribe, because notifications then cannot arrive with
   * any setting.
   */
  async #readSetting(): Promise<NotificationSetting | undefined> {
    if (this.#subscribeRefusal !== undefined) return undefined;
    const { readOnly, notifications } = this.options;
    const setting =
      this.#refusedSetting ??
      (await ensureNotificationSetting(this.master.redis, readOnly ? "off" : notifications));
    // Each refusal adds an entry to the ACL log, so the setting is not read again on this connection.
    if (setting.status === "unknown") this.#refusedSetting = setting;
    return setting;
  }

  #setWritesRefused(reason: WriteRefusal | undefined): void {
    if (reason === this.writesRefused) return;
    this.writesRefused = reason;
    this.events.onWritesRefusedChange();
  }

  #updateState(beat: CanaryBeat | undefined, setting: NotificationSetting): void {
    const before = this.state.state;
    const isTemporary = beat?.outcome === "refused" && beat.because !== "forbidden";
    if (isTemporary && setting.status === "unknown") return;
    const missing = beat?.outcome === "written" && this.#canReceiveCanary ? beat.missing : undefined;
    this.state = toNotificationState(setting, missing);
    if (before === this.state.state) return;
    // Lockkeeper did not observe changes while notifications were off.
    this.#continuity = ++continuityCount;
    this.events.onStateChange();
  }

  readonly #markLost = (): void => {
    this.#isSubscribed = false;
    // A new connection may reach a different server or have different permissions.
    this.#refusedSetting = undefined;
    this.#subscribeRefusal = undefined;
  };
}

/** Returns the text of an error reply. @throws any other error */
function getRefusalMessage(error: unknown): string {
  if (isReplyError(error)) return error.message;
  throw error;
}
