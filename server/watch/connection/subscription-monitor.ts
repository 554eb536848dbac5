import { isReply } from "../../redis/failure.ts";
import type { Master } from "../../redis/master.ts";
import { NO_SIGHT } from "../holds/hold-version.ts";
import { type Beat, Canary } from "./canary.ts";
import {
  type NotificationState,
  type Notifications,
  type Setting,
  settingOf,
  stateOf,
} from "./keyspace-subscriber.ts";
import { DemotedError, type Standing, standingOf } from "./server-fingerprint.ts";

export interface HearingOptions {
  readonly db: number;
  readonly notifications: "off" | "set";
  /** Nothing is written, so INFO must tell what the canary would. */
  readonly readOnly: boolean;
}

let sights = 0;

/**
 * Whether we hear of all that happens at a master, without a break: the subscriber's connection stood all the time,
 * Redis sends what we need, and no more went than was told of.
 */
export class Hearing {
  state: NotificationState = { state: "off", detail: "Not looked at yet." };
  readonly #canary: Canary;
  #sight = ++sights;
  #isSubscribed = false;
  #standing: Standing | undefined;
  #mayWrite: boolean;
  #mayHearCanary = false;
  #mayNotSubscribe: string | undefined;
  #refusedSetting: Setting | undefined;

  constructor(
    private readonly master: Master,
    private readonly notifications: Notifications,
    private readonly options: HearingOptions,
    /** Notifications arrive from now on, or do so no more. */
    private readonly onSettled: () => void,
  ) {
    this.#canary = new Canary(master, options.db);
    this.#mayWrite = !options.readOnly;
    master.subscriber.on("close", this.#lose);
  }

  /** Names the present stretch of unbroken sight. */
  get sight(): string {
    return this.seesChanges ? String(this.#sight) : NO_SIGHT;
  }

  get seesChanges(): boolean {
    return this.#isSubscribed && this.state.state === "on";
  }

  /** Whether we are not subscribed, and may be. */
  get isLost(): boolean {
    return !this.#isSubscribed && this.#mayNotSubscribe === undefined;
  }

  /** Something happened that was not told. */
  broken(): void {
    this.#sight = ++sights;
  }

  stop(): void {
    this.master.subscriber.off("close", this.#lose);
  }

  /** Makes sure that all that Redis has sent us has arrived. @returns whether that is all there was */
  async confirm(): Promise<boolean> {
    if (!this.#mayWrite) await this.listen();
    const isWhole = await Promise.all([this.#mayWrite || this.isUntouched(), this.try()]);
    return isWhole.every(Boolean);
  }

  /** Whether no keys went or came but those that were told of. @throws when Redis is away */
  async isUntouched(): Promise<boolean> {
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
  async listen(): Promise<void> {
    if (!this.#isSubscribed) return;
    const { subscriber } = this.master;
    try {
      await subscriber.ping();
    } catch {
      this.#lose();
      subscriber.disconnect(true);
    }
  }

  async subscribe(): Promise<void> {
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
  async try(): Promise<boolean> {
    const setting = await this.#setting();
    const beat = await this.#beat();
    if (setting !== undefined) this.#settle(beat, setting);
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
    this.onSettled();
  }

  readonly #lose = (): void => {
    this.#isSubscribed = false;
    // Another connection may be one to another server, or have other rights.
    this.#refusedSetting = undefined;
    this.#mayNotSubscribe = undefined;
  };
}

/** What Redis answered. @throws what was no answer */
function refused(error: unknown): string {
  if (isReply(error)) return error.message;
  throw error;
}
