import type { Redis } from "ioredis";
import { type Key, keyOfBytes } from "../../../lib/keys/key.ts";
import { eventChannelOf, OURS, standsAside } from "../../formats/keys.ts";
import { isReply } from "../../redis/failure.ts";
import { widest } from "../../redis/glob.ts";
import { type OwnEvent, parseOwnEvent } from "./script-event.ts";

/** What the formats need: keyspace messages of generic, hash, set, sorted set, string, expiry and eviction events. */
const FLAGS_NEEDED = "Kghszxe$";
const SETTING = "notify-keyspace-events";

export interface Listener {
  onChange(key: Key, event: string): void;
  onOwnEvent(event: OwnEvent): void;
}

/** Hears what Redis and our own scripts say about the watched keys. Nothing is concluded from it but where to look. */
export class Notifications {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #patterns: readonly string[];

  constructor(redis: Redis, db: number, patterns: readonly string[], listener: Listener) {
    this.#redis = redis;
    this.#prefix = `__keyspace@${db}__:`;
    this.#channel = eventChannelOf(db);
    // Redis sends a message once for each pattern that its channel matches.
    this.#patterns = widest(patterns);
    const at = this.#prefix.length;
    redis.on("pmessageBuffer", (_pattern: string, channel: Buffer, event: Buffer) => {
      // Half of all messages are of what stands beside our own locks.
      if (channel.toString("latin1", at, at + OURS.length) === OURS) return;
      const key = keyOfBytes(channel.subarray(at));
      if (!standsAside(key)) listener.onChange(key, event.toString());
    });
    redis.on("messageBuffer", (channel: Buffer, message: Buffer) => {
      if (channel.toString() !== this.#channel) return;
      const event = parseOwnEvent(message);
      if (event !== undefined) listener.onOwnEvent(event);
    });
  }

  /** Again on every connection: ioredis renews subscriptions by itself, but says nothing when it fails. */
  async subscribe(): Promise<void> {
    await this.#redis.psubscribe(...this.#patterns.map((pattern) => this.#prefix + pattern));
    await this.#redis.subscribe(this.#channel);
  }
}

export type NotificationState = { state: "on" } | { state: "off"; detail: string };

/** What CONFIG says about them, which is not yet that they arrive. */
export type Setting =
  | { says: "enough" }
  | { says: "too_little"; needed: string }
  | { says: "nothing"; why: string };

/** Whether Redis is set to send what we need; sets it first when asked to. Flags of other apps are kept. */
export async function settingOf(redis: Redis, policy: "off" | "set"): Promise<Setting> {
  let flags: string;
  try {
    flags = await flagsOf(redis);
    if (policy === "set" && !suffices(flags)) {
      await redis.config("SET", SETTING, union(flags));
      flags = await flagsOf(redis);
    }
  } catch (error) {
    if (!isReply(error)) throw error;
    return { says: "nothing", why: error.message };
  }
  return suffices(flags) ? { says: "enough" } : { says: "too_little", needed: union(flags) };
}

const INSTEAD = "scanning every second instead";

/** @param missing what did not arrive of what must have been sent; undefined: that could not be tried */
export function stateOf(setting: Setting, missing: readonly string[] | undefined): NotificationState {
  if (setting.says === "too_little") {
    return {
      state: "off",
      detail: `Keyspace notifications are off; ${INSTEAD}. Run CONFIG SET ${SETTING} ${setting.needed}, or start with LOCKKEEPER_NOTIFICATIONS=set.`,
    };
  }
  if (missing?.length === 0 || (missing === undefined && setting.says === "enough")) return { state: "on" };
  if (setting.says === "enough") {
    return {
      state: "off",
      detail: `Keyspace notifications are on in Redis, but these do not reach us: ${missing?.join(", ")}; ${INSTEAD}. Does a proxy stand in between?`,
    };
  }
  const missed = missing === undefined ? "and we may not try whether they come" : "and they do not come";
  return {
    state: "off",
    detail: `Redis does not let us look at ${SETTING} (${setting.why}), ${missed}; ${INSTEAD}. Set it to ${FLAGS_NEEDED} where this Redis is administered.`,
  };
}

async function flagsOf(redis: Redis): Promise<string> {
  const reply = await redis.config("GET", SETTING);
  return String((reply as unknown[])[1] ?? "");
}

export function suffices(flags: string): boolean {
  return [...FLAGS_NEEDED].every((flag) => flags.includes(flag) || (flags.includes("A") && flag !== "K"));
}

/** What is set and what we need: `A` stands for all classes. `$` comes last, where no shell reads it. */
export function union(flags: string): string {
  const present = [...flags];
  const missing = [...FLAGS_NEEDED].filter(
    (flag) => !flags.includes(flag) && (flag === "K" || !flags.includes("A")),
  );
  const all = [...present, ...missing];
  return [...all.filter((flag) => flag !== "$"), ...all.filter((flag) => flag === "$")].join("");
}
