import { isReply } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import type { NotificationState, Notifications } from "./keyspace-subscriber.ts";
import { DemotedError } from "./server-fingerprint.ts";
import { Hearing, type HearingOptions } from "./subscription-monitor.ts";

const PROBE_EVERY_MS = 500;
/** Redis is down when it has not answered for this long. */
const DOWN_AFTER_MS = 1500;
/** How often it is tried whether notifications still arrive: anyone may switch them off. */
const TRY_EVERY_MS = 2000;

interface Listener {
  up(isBlind: boolean): void;
  down(): void;
  /** Notifications arrive from now on, or do so no more. */
  settled(): void;
}

/** Whether we are in touch with a master. */
export class Link {
  isUp = false;
  /** How often it went down. */
  breaks = 0;
  /** Since when it is not; Unix milliseconds of our clock. */
  downSince: number | undefined = Date.now();
  lagMs: number | null = null;
  readonly #hearing: Hearing;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #tickedAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #why: string | undefined;

  constructor(
    private readonly master: Master,
    notifications: Notifications,
    options: HearingOptions,
    private readonly on: Listener,
  ) {
    const { redis, subscriber } = master;
    this.#hearing = new Hearing(master, notifications, options, () => {
      if (this.isUp) on.settled();
    });
    redis.on("close", this.#goDown);
    for (const connection of [redis, subscriber]) connection.on("ready", this.#probe);
  }

  /** Names the present stretch of unbroken sight. */
  get sight(): string {
    return this.#hearing.sight;
  }

  get seesChanges(): boolean {
    return this.#hearing.seesChanges;
  }

  get state(): NotificationState {
    return this.#hearing.state;
  }

  /** Why it is down. */
  get why(): string | undefined {
    if (this.isUp) return undefined;
    return this.#why ?? "Redis does not answer; what is shown may be out of date.";
  }

  start(): void {
    this.#tickedAt = performance.now();
    this.#timer = setInterval(() => this.#tick(), PROBE_EVERY_MS);
    this.#probe();
  }

  stop(): void {
    clearInterval(this.#timer);
    const { redis, subscriber } = this.master;
    this.#hearing.stop();
    redis.off("close", this.#goDown);
    for (const connection of [redis, subscriber]) connection.off("ready", this.#probe);
    this.isUp = false;
  }

  /**
   * Makes sure that all that Redis has sent us has arrived, and that it still sends it. What was missed has raised the
   * sight by then.
   */
  async confirm(): Promise<void> {
    if (await this.#hearing.confirm()) return;
    this.#hearing.broken();
    if (this.isUp) this.on.up(true);
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
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#goDown();
    if (this.#probing) return;
    this.#probing = true;
    try {
      await this.#touch();
    } catch (error) {
      // What else there is to do is to be down when it lasts; the next probe tries again.
      if (error instanceof DemotedError) this.#demote(error);
      else this.#why = answerOf(error);
    } finally {
      this.#probing = false;
    }
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#goDown();
  }

  async #touch(): Promise<void> {
    const hearing = this.#hearing;
    const sentAt = performance.now();
    let isWhole = await hearing.isUntouched();
    const answeredAt = performance.now();
    const wasLost = hearing.isLost;
    if (wasLost) await hearing.subscribe();
    else await hearing.listen();
    if (!this.isUp || wasLost || !isWhole || answeredAt - this.#triedAt > TRY_EVERY_MS) {
      isWhole = (await hearing.try()) && isWhole;
      this.#triedAt = performance.now();
    }
    this.#answeredAt = answeredAt;
    this.lagMs = Math.round((answeredAt - sentAt) * 10) / 10;
    if (this.isUp && !wasLost && isWhole) return;
    if (!isWhole) hearing.broken();
    this.isUp = true;
    this.downSince = undefined;
    this.#why = undefined;
    this.on.up(wasLost || !isWhole);
  }

  readonly #goDown = (): void => {
    if (!this.isUp) return;
    this.isUp = false;
    this.breaks++;
    this.downSince = Date.now();
    this.lagMs = null;
    this.on.down();
  };

  #demote(error: DemotedError): void {
    this.#why = error.message;
    this.#goDown();
    this.master.demoted();
  }
}

/** What a Redis that answers has against it; undefined when it does not answer. */
function answerOf(error: unknown): string | undefined {
  if (!isReply(error)) return undefined;
  return `Redis answers with an error (${error.message}); what is shown may be out of date.`;
}
