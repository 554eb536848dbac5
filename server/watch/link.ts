import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { OURS } from "../formats/keys.ts";
import { type NotificationState, type Notifications, settleNotifications } from "./notifications.ts";
import { NO_SIGHT } from "./version.ts";

const NO_ANSWER = "Redis does not answer; what is shown may be out of date.";
const CANARY = `${OURS}canary`;
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
  /** Since when it is not; Unix milliseconds of our clock. */
  downSince: number | undefined = Date.now();
  lagMs: number | null = null;
  setting: NotificationState = { state: "off", detail: "Not looked at yet." };
  #sight = 0;
  #isSubscribed = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #settledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #canary: string | undefined;
  #mayNotSubscribe: string | undefined;

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

  /** Why it is down, when there is more to say than that it does not answer. */
  get why(): string | undefined {
    return this.isUp ? undefined : NO_ANSWER;
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

  /**
   * Makes sure that all that Redis has sent us has arrived, and that it still sends it. What was missed has raised the
   * sight by then.
   */
  async confirm(): Promise<void> {
    await this.#hear();
    await this.#settle();
    await this.#lookAtCanary();
  }

  async #touch(): Promise<void> {
    const sentAt = performance.now();
    const isAsKnown = await this.#lookAtCanary();
    this.#answeredAt = performance.now();
    this.lagMs = Math.round((this.#answeredAt - sentAt) * 10) / 10;
    const wasBlind = !this.#isSubscribed && this.#mayNotSubscribe === undefined;
    if (wasBlind) await this.#gainSight();
    else await this.#hear();
    if (!this.isUp || this.#answeredAt - this.#settledAt > SETTING_EVERY_MS) await this.#settle();
    if (this.isUp && !wasBlind && isAsKnown) return;
    this.isUp = true;
    this.downSince = undefined;
    this.on.up(wasBlind || !isAsKnown);
  }

  /** A connection that is half open says nothing for ever; one that answers has given us all before the answer. */
  async #hear(): Promise<void> {
    if (!this.#isSubscribed) return;
    try {
      await this.subscriber.ping();
    } catch {
      this.#loseSight();
      this.subscriber.disconnect(true);
    }
  }

  async #gainSight(): Promise<void> {
    try {
      await this.notifications.subscribe();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "ReplyError") throw error;
      this.#mayNotSubscribe = `Redis does not let this user subscribe (${error.message}); scanning every second instead.`;
      this.setting = { state: "off", detail: this.#mayNotSubscribe };
      return;
    }
    if (this.subscriber.status !== "ready") throw new Error("The subscriber's connection broke again");
    this.#sight++;
    this.#isSubscribed = true;
  }

  async #settle(): Promise<void> {
    if (this.#mayNotSubscribe !== undefined) return;
    const before = this.setting.state;
    this.setting = await settleNotifications(this.redis, this.policy);
    this.#settledAt = performance.now();
    if (before === this.setting.state) return;
    // What happened while they were off was not heard.
    this.#sight++;
    this.on.settled();
  }

  /** Of a key of ours that is gone nothing is said key by key: FLUSHALL, SWAPDB and a restart without data do that. */
  async #lookAtCanary(): Promise<boolean> {
    let found = await this.redis.get(CANARY);
    if (found === null) {
      await this.redis.set(CANARY, randomBytes(9).toString("base64url"), "NX").catch(ignoreRefusal);
      found = await this.redis.get(CANARY);
    }
    const isAsKnown = this.#canary === undefined || this.#canary === found;
    if (!isAsKnown) this.#sight++;
    this.#canary = found ?? undefined;
    return isAsKnown;
  }

  #loseSight(): void {
    this.#isSubscribed = false;
  }

  #goDown(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.downSince = Date.now();
    this.lagMs = null;
    this.on.down();
  }
}

// A user who may not write goes without a canary.
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "ReplyError") throw error;
}
