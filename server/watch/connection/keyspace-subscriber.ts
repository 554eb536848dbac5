import type { Redis } from "ioredis";
import { decodeKey, type Key } from "../../../lib/keys/key.ts";
import { buildEventChannel, isAuxiliaryKey, TARGET_PREFIX } from "../../formats/keys.ts";
import { isReplyError } from "../../redis/failure.ts";
import { removeCovered } from "../../redis/glob.ts";
import { isOversizedKey } from "../scan/oversized-keys.ts";
import { parseScriptEvent, type ScriptEvent } from "./script-event.ts";

/** What the formats need: keyspace messages of generic, hash, set, sorted set, string, expiry and eviction events. */
const FLAGS_NEEDED = "Kghszxe$";
const SETTING_NAME = "notify-keyspace-events";
/** Longer than the name of any event of Redis. Any client can publish anything on these channels. */
const EVENT_NAME_BYTES_MAX = 64;

export interface KeyspaceListener {
  onKeyChange(key: Key, event: string): void;
  onScriptEvent(event: ScriptEvent): void;
  /** Something happened to a key whose name is too long for a lock. */
  onOversizedKey(name: Uint8Array): void;
  /** A message on the channel of the script events is not one of ours. */
  onInvalidScriptEvent(): void;
}

/**
 * Receives the keyspace notifications of the watched keys and the events that our own scripts publish.
 *
 * Any client that may `PUBLISH` can forge both. A notification only has its key read. What bounds script events is in
 * `ScriptEventBudget`.
 */
export class KeyspaceSubscriber {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #patterns: readonly string[];

  constructor(redis: Redis, db: number, patterns: readonly string[], listener: KeyspaceListener) {
    this.#redis = redis;
    this.#prefix = `__keyspace@${db}__:`;
    this.#channel = buildEventChannel(db);
    // Redis sends a message once for each pattern that its channel matches.
    this.#patterns = removeCovered(patterns);
    const at = this.#prefix.length;
    redis.on("pmessageBuffer", (_pattern: string, channel: Buffer, event: Buffer) => {
      // Half of all messages are of what stands beside our own locks.
      if (channel.toString("latin1", at, at + TARGET_PREFIX.length) === TARGET_PREFIX) return;
      if (event.length > EVENT_NAME_BYTES_MAX) return;
      const name = channel.subarray(at);
      if (isOversizedKey(name)) return listener.onOversizedKey(name);
      const key = decodeKey(name);
      if (!isAuxiliaryKey(key)) listener.onKeyChange(key, event.toString());
    });
    redis.on("messageBuffer", (channel: Buffer, message: Buffer) => {
      if (channel.toString() !== this.#channel) return;
      const event = parseScriptEvent(message);
      if (event === undefined) listener.onInvalidScriptEvent();
      else listener.onScriptEvent(event);
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
export type NotificationSetting =
  | { says: "enough" }
  | { says: "too_little"; needed: string }
  | { says: "nothing"; why: string };

/** Whether Redis is set to send what we need; sets it first when asked to. Flags of other apps are kept. */
export async function ensureNotificationSetting(
  redis: Redis,
  policy: "off" | "set",
): Promise<NotificationSetting> {
  let flags: string;
  try {
    flags = await readFlags(redis);
    if (policy === "set" && !hasRequiredFlags(flags)) {
      await redis.config("SET", SETTING_NAME, mergeFlags(flags));
      flags = await readFlags(redis);
    }
  } catch (error) {
    if (!isReplyError(error)) throw error;
    return { says: "nothing", why: error.message };
  }
  return hasRequiredFlags(flags) ? { says: "enough" } : { says: "too_little", needed: mergeFlags(flags) };
}

/** What happens instead. The health of the target states how late that is. */
const FALLBACK_TEXT = "Lockkeeper polls instead";

/** @param missing what did not arrive of what must have been sent; undefined: that could not be tried */
export function toNotificationState(
  setting: NotificationSetting,
  missing: readonly string[] | undefined,
): NotificationState {
  if (setting.says === "too_little") {
    return {
      state: "off",
      detail: `Keyspace notifications are off; ${FALLBACK_TEXT}. Run CONFIG SET ${SETTING_NAME} ${setting.needed}, or start with LOCKKEEPER_NOTIFICATIONS=set.`,
    };
  }
  if (missing?.length === 0 || (missing === undefined && setting.says === "enough")) return { state: "on" };
  if (setting.says === "enough") {
    return {
      state: "off",
      detail: `Keyspace notifications are on in Redis, but these do not reach us: ${missing?.join(", ")}; ${FALLBACK_TEXT}. Does a proxy stand in between?`,
    };
  }
  const missed = missing === undefined ? "and we may not try whether they come" : "and they do not come";
  return {
    state: "off",
    detail: `Redis does not let us look at ${SETTING_NAME} (${setting.why}), ${missed}; ${FALLBACK_TEXT}. Set it to ${FLAGS_NEEDED} where this Redis is administered.`,
  };
}

async function readFlags(redis: Redis): Promise<string> {
  const reply = await redis.config("GET", SETTING_NAME);
  return String((reply as unknown[])[1] ?? "");
}

export function hasRequiredFlags(flags: string): boolean {
  return [...FLAGS_NEEDED].every((flag) => flags.includes(flag) || (flags.includes("A") && flag !== "K"));
}

/** What is set and what we need: `A` stands for all classes. `$` comes last, where no shell reads it. */
export function mergeFlags(flags: string): string {
  const present = [...flags];
  const missing = [...FLAGS_NEEDED].filter(
    (flag) => !flags.includes(flag) && (flag === "K" || !flags.includes("A")),
  );
  const all = [...present, ...missing];
  return [...all.filter((flag) => flag !== "$"), ...all.filter((flag) => flag === "$")].join("");
}
