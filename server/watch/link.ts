import type { Redis } from "ioredis";
import { type NotificationState, type Notifications, settleNotifications } from "./notifications.ts";
import { NO_SIGHT } from "./version.ts";

const PROBE_EVERY_MS = 500;
/** Redis is down when it has not answered for this long. */
const DOWN_AFTER_MS = 1500;
/** How often the notification setting is looked at again: anyone may switch it off. */
const SETTING_EVERY_MS = 2000;

/**
 * Whether we are in touch with a target, and whether we have watched it without a break: the subscriber's
 * connection stood all the time and Redis sends what we need.
 */
export class Link {
  isUp = false;
  lagMs: number | null = null;
  setting: NotificationState = { state: "off", detail: "Not looked at yet." };
  #sight = 0;
  #isSubscribed = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #settledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(
    private readonly redis: Redis,
    private readonly subscriber: Redis,
    private readonly notifications: Notifications,
    private readonly policy: "off" | "set",
    private readonly on: { up(isBlind: boolean): void; down(): void; settled(): void },
  ) {
    subscriber.on("close", () => this.#loseSight());
    redis.on("close", () => this.#goDown());
    for (const connection of [redis, subscriber]) connection.on("ready", () => void this.probe());
  }

  /** Names the present stretch of unbroken sight. */
  get sight(): string {
    return this.seesChanges ? String(this.#sight) : NO_SIGHT;
  }

  get seesChanges(): boolean {
    return this.#isSubscribed && this.setting.state === "on";
  }

  start(): void {
    this.#timer = setInterval(() => void this.probe(), PROBE_EVERY_MS);
    void this.probe();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.isUp = false;
  }

  async probe(): Promise<void> {
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#goDown();
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#touch();
    } catch {
      // Nothing to do but to be down when it lasts; the next probe tries again.
    } finally {
      this.#probing = false;
    }
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#goDown();
  }

  async #touch(): Promise<void> {
    const sentAt = performance.now();
    await this.redis.ping();
    this.#answeredAt = performance.now();
    this.lagMs = Math.round((this.#answeredAt - sentAt) * 10) / 10;
    const wasBlind = !this.#isSubscribed;
    if (wasBlind) await this.#gainSight();
    if (!this.isUp || this.#answeredAt - this.#settledAt > SETTING_EVERY_MS) await this.#settle();
    if (this.isUp && !wasBlind) return;
    this.isUp = true;
    this.on.up(wasBlind);
  }

  async #gainSight(): Promise<void> {
    await this.notifications.subscribe();
    if (this.subscriber.status !== "ready") throw new Error("The subscriber's connection broke again");
    this.#sight++;
    this.#isSubscribed = true;
  }

  async #settle(): Promise<void> {
    const before = this.setting.state;
    this.setting = await settleNotifications(this.redis, this.policy);
    this.#settledAt = performance.now();
    if (before === this.setting.state) return;
    // What happened while they were off was not heard.
    this.#sight++;
    this.on.settled();
  }

  #loseSight(): void {
    this.#isSubscribed = false;
  }

  #goDown(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.lagMs = null;
    this.on.down();
  }
}
