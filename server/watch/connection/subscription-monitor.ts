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
  /** Nothing is written, so INFO must tell what the canary would. */
  readonly readOnly: boolean;
}

export interface SubscriptionEvents {
  /** Notifications arrive from now on, or do so no more. */
  onStateChange(): void;
  /** Redis began or ceased to refuse all writes, or does so for another reason. */
  onWritesRefusedChange(): void;
}

let continuityCount = 0;

/**
 * Whether we hear of all that happens at a master, without a break: the subscriber's connection stood all the time,
 * Redis sends what we need, and no more went than was told of.
 */
export class SubscriptionMonitor {
  /** Why the last beat of the canary was not written; undefined also where it may not be written. */
  writesRefused: WriteRefusal | undefined;
  state: NotificationState = { state: "off", detail: "Not looked at yet." };
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

  /** Names the present stretch of unbroken sight. */
  get continuityId(): string {
    return this.seesChanges ? String(this.#continuity) : NO_CONTINUITY;
  }

  get seesChanges(): boolean {
    return this.#isSubscribed && this.state.state === "on";
  }

  /** Whether we are not subscribed, and may be. */
  get canResubscribe(): boolean {
    return !this.#isSubscribed && this.#subscribeRefusal === undefined;
  }

  /** Something happened that was not told. */
  breakContinuity(): void {
    this.#continuity = ++continuityCount;
  }

  stop(): void {
    this.master.subscriber.off("close", this.#markLost);
  }

  /** Makes sure that all that Redis has sent us has arrived. @returns whether that is all there was */
  async confirmDelivery(): Promise<boolean> {
    if (!this.#canWrite) await this.pingSubscriber();
    const isWhole = await Promise.all([this.#canWrite || this.isDataIntact(), this.probeDelivery()]);
    return isWhole.every(Boolean);
  }

  /** Whether no keys went or came but those that were told of. @throws when Redis is away */
  async isDataIntact(): Promise<boolean> {
    if (this.#canWrite) {
      const isThere = await this.#canary.isPresent();
      if (isThere !== "forbidden") return isThere;
      this.#canWrite = false;
    }
    const before = this.#fingerprint;
    const now = await readServerFingerprint(this.master.redis);
    if (now.replicaOf !== undefined) throw new DemotedError(this.master.name, now.replicaOf);
    this.#fingerprint = now;
    return before === undefined || (before.data === now.data && before.wipes === now.wipes);
  }

  /** A connection that is half open says nothing for ever; one that answers has given us all before the answer. */
  async pingSubscriber(): Promise<void> {
    if (!this.#isSubscribed) return;
    const { subscriber } = this.master;
    try {
      await subscriber.ping();
    } catch (error) {
      // Redis refuses even a PING while it cannot save its data (MISCONF).
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
      this.#subscribeRefusal = `Redis does not let this user subscribe (${getRefusalMessage(error)}); Lockkeeper polls instead.`;
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

  /** Tries whether notifications arrive. @returns whether the canary was untouched */
  async probeDelivery(): Promise<boolean> {
    const setting = await this.#readSetting();
    const beat = await this.#beatCanary();
    if (setting !== undefined) this.#updateState(beat, setting);
    return beat?.outcome !== "written" || beat.wasThere;
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

  /** undefined: it does not matter, because we may not hear of anything. */
  async #readSetting(): Promise<NotificationSetting | undefined> {
    if (this.#subscribeRefusal !== undefined) return undefined;
    const { readOnly, notifications } = this.options;
    const setting =
      this.#refusedSetting ??
      (await ensureNotificationSetting(this.master.redis, readOnly ? "off" : notifications));
    // Asking again would fill the log of what this user was refused.
    if (setting.says === "nothing") this.#refusedSetting = setting;
    return setting;
  }

  #setWritesRefused(reason: WriteRefusal | undefined): void {
    if (reason === this.writesRefused) return;
    this.writesRefused = reason;
    this.events.onWritesRefusedChange();
  }

  #updateState(beat: CanaryBeat | undefined, setting: NotificationSetting): void {
    const before = this.state.state;
    const isForLater = beat?.outcome === "refused" && beat.because !== "forbidden";
    if (isForLater && setting.says === "nothing") return;
    const missing = beat?.outcome === "written" && this.#canReceiveCanary ? beat.missing : undefined;
    this.state = toNotificationState(setting, missing);
    if (before === this.state.state) return;
    // What happened while they were off was not heard.
    this.#continuity = ++continuityCount;
    this.events.onStateChange();
  }

  readonly #markLost = (): void => {
    this.#isSubscribed = false;
    // Another connection may be one to another server, or have other rights.
    this.#refusedSetting = undefined;
    this.#subscribeRefusal = undefined;
  };
}

/** What Redis answered. @throws what was no answer */
function getRefusalMessage(error: unknown): string {
  if (isReplyError(error)) return error.message;
  throw error;
}
