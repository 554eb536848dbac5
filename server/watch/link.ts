import type { Master } from "../redis/master.ts";
import { type Beat, Canary } from "./canary.ts";
import {
  type NotificationState,
  type Notifications,
  type Setting,
  settingOf,
  stateOf,
} from "./notifications.ts";
import { DemotedError, type Standing, standingOf } from "./standing.ts";
import { NO_SIGHT } from "./version.ts";

const PROBE_EVERY_MS = 500;
/** Redis is down when it has not answered for this long. */
const DOWN_AFTER_MS = 1500;
/** How often it is tried whether notifications still arrive: anyone may switch them off. */
const TRY_EVERY_MS = 2000;

export interface LinkOptions {
  readonly db: number;
  readonly notifications: "off" | "set";
  /** Nothing is written, so INFO must tell what the canary would. */
  readonly readOnly: boolean;
}

interface Listener {
  up(isBlind: boolean): void;
  down(): void;
  /** Notifications arrive from now on, or do so no more. */
  settled(): void;
}

let sights = 0;

/**
 * Whether we are in touch with a master, and whether we have watched it without a break: the subscriber's connection
 * stood all the time, Redis sends what we need, and no more went than was told of.
 */
export class Link {
  isUp = false;
  /** How often it went down. */
  breaks = 0;
  /** Since when it is not; Unix milliseconds of our clock. */
  downSince: number | undefined = Date.now();
  lagMs: number | null = null;
  state: NotificationState = { state: "off", detail: "Not looked at yet." };
  readonly #canary: Canary;
  #sight = ++sights;
  #isSubscribed = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #probing = false;
  #why: string | undefined;
  #standing: Standing | undefined;
  #mayWrite: boolean;
  #mayHearCanary = false;
  #mayNotSubscribe: string | undefined;
  #refusedSetting: Setting | undefined;

  constructor(
    private readonly master: Master,
    private readonly notifications: Notifications,
    private readonly options: LinkOptions,
    private readonly on: Listener,
  ) {
    const { redis, subscriber } = master;
    this.#canary = new Canary(master, options.db);
    this.#mayWrite = !options.readOnly;
    subscriber.on("close", this.#loseSight);
    redis.on("close", this.#goDown);
    for (const connection of [redis, subscriber]) connection.on("ready", this.#probe);
  }

  /** Names the present stretch of unbroken sight. */
  get sight(): string {
    return this.seesChanges ? String(this.#sight) : NO_SIGHT;
  }

  get seesChanges(): boolean {
    return this.#isSubscribed && this.state.state === "on";
  }

  /** Why it is down. */
  get why(): string | undefined {
    if (this.isUp) return undefined;
    return this.#why ?? "Redis does not answer; what is shown may be out of date.";
  }

  start(): void {
    this.#timer = setInterval(this.#probe, PROBE_EVERY_MS);
    this.#probe();
  }

  stop(): void {
    clearInterval(this.#timer);
    const { redis, subscriber } = this.master;
    subscriber.off("close", this.#loseSight);
    redis.off("close", this.#goDown);
    for (const connection of [redis, subscriber]) connection.off("ready", this.#probe);
    this.isUp = false;
  }

  /**
   * Makes sure that all that Redis has sent us has arrived, and that it still sends it. What was missed has raised the
   * sight by then.
   */
  async confirm(): Promise<void> {
    if (!this.#mayWrite) await this.#hear();
    const isWhole = await Promise.all([this.#mayWrite || this.#isUntouched(), this.#try()]);
    if (!isWhole.every(Boolean)) this.#sight = ++sights;
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
    } finally {
      this.#probing = false;
    }
    if (performance.now() - this.#answeredAt > DOWN_AFTER_MS) this.#goDown();
  }

  async #touch(): Promise<void> {
    const sentAt = performance.now();
    let isWhole = await this.#isUntouched();
    const answeredAt = performance.now();
    const wasBlind = !this.#isSubscribed && this.#mayNotSubscribe === undefined;
    if (wasBlind) await this.#gainSight();
    else await this.#hear();
    const isDue = answeredAt - this.#triedAt > TRY_EVERY_MS;
    if (!this.isUp || wasBlind || !isWhole || isDue) isWhole = (await this.#try()) && isWhole;
    this.#answeredAt = answeredAt;
    this.lagMs = Math.round((answeredAt - sentAt) * 10) / 10;
    if (this.isUp && !wasBlind && isWhole) return;
    if (!isWhole) this.#sight = ++sights;
    this.isUp = true;
    this.downSince = undefined;
    this.#why = undefined;
    this.on.up(wasBlind || !isWhole);
  }

  /** Whether no keys went or came but those that were told of. @throws when Redis is away */
  async #isUntouched(): Promise<boolean> {
    if (this.#mayWrite) {
      const isThere = await this.#canary.isThere();
      if (isThere !== "forbidden") return isThere;
      this.#mayWrite = false;
    }
    const before = this.#standing;
    const now = await standingOf(this.master.redis);
    if (now.replicaOf !== undefined) throw new DemotedError(this.master.name, now.replicaOf);
    this.#standing = now;
    return before === undefined || (before.data === now.data && before.wipes === now.wipes);
  }

  /** A connection that is half open says nothing for ever; one that answers has given us all before the answer. */
  async #hear(): Promise<void> {
    if (!this.#isSubscribed) return;
    const { subscriber } = this.master;
    try {
      await subscriber.ping();
    } catch {
      this.#loseSight();
      subscriber.disconnect(true);
    }
  }

  async #gainSight(): Promise<void> {
    const { subscriber } = this.master;
    try {
      await this.notifications.subscribe();
    } catch (error) {
      this.#mayNotSubscribe = `Redis does not let this user subscribe (${refused(error)}); scanning every second instead.`;
      this.state = { state: "off", detail: this.#mayNotSubscribe };
      return;
    }
    if (this.#mayWrite) {
      this.#mayHearCanary = await this.#canary.subscribe().then(
        () => true,
        (error) => refused(error) === "",
      );
    }
    if (subscriber.status !== "ready") throw new Error("The subscriber's connection broke again");
    this.#sight = ++sights;
    this.#isSubscribed = true;
  }

  /** Tries whether notifications arrive. @returns whether the canary was untouched */
  async #try(): Promise<boolean> {
    const setting = await this.#setting();
    const beat = await this.#beat();
    if (setting !== undefined) this.#settle(beat, setting);
    this.#triedAt = performance.now();
    return beat?.outcome !== "written" || beat.wasThere;
  }

  async #beat(): Promise<Beat | undefined> {
    if (!this.#mayWrite) return undefined;
    const beat = await this.#canary.beat(this.#isSubscribed);
    if (beat.outcome === "written") return beat;
    if (beat.because === "replica") {
      const { replicaOf } = await standingOf(this.master.redis).catch(() => ({ replicaOf: undefined }));
      throw new DemotedError(this.master.name, replicaOf);
    }
    if (beat.because === "forbidden") this.#mayWrite = false;
    return beat;
  }

  /** undefined: it does not matter, because we may not hear of anything. */
  async #setting(): Promise<Setting | undefined> {
    if (this.#mayNotSubscribe !== undefined) return undefined;
    const { readOnly, notifications } = this.options;
    const setting =
      this.#refusedSetting ?? (await settingOf(this.master.redis, readOnly ? "off" : notifications));
    // Asking again would fill the log of what this user was refused.
    if (setting.says === "nothing") this.#refusedSetting = setting;
    return setting;
  }

  #settle(beat: Beat | undefined, setting: Setting): void {
    const before = this.state.state;
    const isForLater = beat?.outcome === "refused" && beat.because !== "forbidden";
    if (isForLater && setting.says === "nothing") return;
    const missing = beat?.outcome === "written" && this.#mayHearCanary ? beat.missing : undefined;
    this.state = stateOf(setting, missing);
    if (before === this.state.state) return;
    // What happened while they were off was not heard.
    this.#sight = ++sights;
    if (this.isUp) this.on.settled();
  }

  readonly #loseSight = (): void => {
    this.#isSubscribed = false;
    // Another connection may be one to another server, or have other rights.
    this.#refusedSetting = undefined;
    this.#mayNotSubscribe = undefined;
  };

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

/** What Redis answered. @throws what was no answer */
function refused(error: unknown): string {
  if (error instanceof Error && error.name === "ReplyError") return error.message;
  throw error;
}
