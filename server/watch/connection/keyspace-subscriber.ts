import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import {
  buildEventChannel,
  buildQueuePattern,
  parseQueueKey,
  QUEUE_TIMEOUTS_PREFIX,
  TARGET_PREFIX,
} from "../../formats/keys.ts";
import { isReplyError, throwUnlessReply } from "../../redis/failure.ts";
import { removeCovered } from "../../redis/glob.ts";
import { isOversizedKey } from "../scan/oversized-keys.ts";
import { parseScriptEvent, type ScriptEvent, toKey } from "./script-event.ts";
import { parseMessages } from "./subscriber-stream.ts";
import { VerbNotifications } from "./verb-notifications.ts";

/**
 * Notification flags that the formats need: keyspace messages for generic, hash, set, sorted set, string, expiry and
 * eviction events.
 */
const FLAGS_NEEDED = "Kghszxe$";
const SETTING_NAME = "notify-keyspace-events";
/**
 * Maximum length of an event name, in bytes. All event names of Redis are shorter, but any client can publish longer
 * ones.
 */
const EVENT_NAME_BYTES_MAX = 64;

const OWN_PREFIX = Buffer.from(TARGET_PREFIX);
const QUEUE_PREFIX = Buffer.from(QUEUE_TIMEOUTS_PREFIX);

export interface KeyspaceListener {
  onKeyChange(key: Key, event: string): void;
  onScriptEvent(event: ScriptEvent): void;
  /**
   * Called for a script event that directly follows all notifications caused by the same verb. Returns whether the
   * event explains the notifications. If false, the subscriber reports the notifications and the event separately.
   */
  onVerbEvent(event: ScriptEvent): boolean;
  /** Called for a change to a key whose name is too long to be the key of a lock. */
  onOversizedKey(name: Uint8Array): void;
  /** Called for a malformed message on the script event channel. */
  onInvalidScriptEvent(): void;
  /** Called when a Redisson client enters or leaves the queue of a fair lock. */
  onQueueChange?(key: Key): void;
}

/**
 * Subscriber to the keyspace notifications for the watched keys and to script events.
 *
 * Any client that is allowed to run PUBLISH can forge notifications and script events. A notification only causes a
 * read of its key. `UnconfirmedEventBudget` limits the rate of script events that no read has confirmed.
 */
export class KeyspaceSubscriber {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #patterns: readonly string[];
  /** Patterns that match the queues of fair locks and are not covered by the watched patterns. */
  readonly #queuePatterns: readonly string[];

  constructor(redis: Redis, db: number, patterns: readonly string[], listener: KeyspaceListener) {
    this.#redis = redis;
    this.#prefix = `__keyspace@${db}__:`;
    this.#channel = buildEventChannel(db);
    // Redis sends a message once for each matching pattern, so overlapping patterns would cause duplicates.
    this.#patterns = removeCovered(patterns);
    this.#queuePatterns = removeCovered([...patterns, ...patterns.map(buildQueuePattern)])
      .filter((pattern) => pattern.startsWith(QUEUE_TIMEOUTS_PREFIX))
      .map((pattern) => this.#prefix + pattern);
    const nameOffset = this.#prefix.length;
    const eventChannel = Buffer.from(this.#channel);
    const notifications = new VerbNotifications(listener);
    const handler = {
      onPatternMessage: (
        data: Buffer,
        channel: number,
        channelEnd: number,
        event: number,
        eventEnd: number,
      ) => {
        const start = channel + nameOffset;
        // Skips the companions of Lockkeeper's own locks, which account for half of all messages.
        if (startsWith(data, start, channelEnd, OWN_PREFIX) || eventEnd - event > EVENT_NAME_BYTES_MAX)
          return;
        const name = data.subarray(start, channelEnd);
        if (isOversizedKey(name)) return listener.onOversizedKey(name);
        const key = toKey(data.toString("latin1", start, channelEnd));
        if (startsWith(data, start, channelEnd, QUEUE_PREFIX)) {
          const lock = parseQueueKey(key);
          if (lock !== undefined) listener.onQueueChange?.(lock);
          return;
        }
        notifications.recordKeyChange(key, data.toString("latin1", event, eventEnd));
      },
      onMessage: (data: Buffer, channel: number, channelEnd: number, start: number, end: number) => {
        const isEvent = channelEnd - channel === eventChannel.length;
        if (!isEvent || !startsWith(data, channel, channelEnd, eventChannel)) return false;
        const event = parseScriptEvent(data.subarray(start, end));
        if (event === undefined) listener.onInvalidScriptEvent();
        else notifications.recordScriptEvent(event);
        return true;
      },
    };
    parseMessages(redis, handler, () => notifications.flush());
  }

  /**
   * Subscribes to notifications and script events. Must be called on each new connection, because the automatic
   * resubscription of ioredis does not report failures.
   *
   * @throws ReplyError if the Redis user is not allowed to subscribe
   */
  async subscribe(): Promise<void> {
    await this.#redis.psubscribe(...this.#patterns.map((pattern) => this.#prefix + pattern));
    await this.#redis.subscribe(this.#channel);
    // If the user may not subscribe to the queues, Lockkeeper reads the queues less often.
    if (this.#queuePatterns.length > 0)
      await this.#redis.psubscribe(...this.#queuePatterns).catch(throwUnlessReply);
  }
}

export type NotificationState = { state: "on" } | { state: "off"; detail: string };

/**
 * The result of reading the notification setting with CONFIG. A sufficient setting does not prove that notifications
 * arrive.
 */
export type NotificationSetting =
  | { status: "sufficient" }
  | { status: "insufficient"; needed: string }
  | { status: "unknown"; why: string };

/** Checks the notification setting and, if the policy is `set`, adds the required flags to the existing flags. */
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
    return { status: "unknown", why: error.message };
  }
  return hasRequiredFlags(flags)
    ? { status: "sufficient" }
    : { status: "insufficient", needed: mergeFlags(flags) };
}

/**
 * Clause in each message about missing notifications. The messages do not state the delay of polling, because the
 * target's health contains the measured value.
 */
const FALLBACK_TEXT = "Lockkeeper polls instead";

/**
 * Determines whether notifications arrive, based on the notification setting and the delivery probe.
 *
 * @param missing expected events that did not arrive, or `undefined` if delivery could not be probed
 */
export function toNotificationState(
  setting: NotificationSetting,
  missing: readonly string[] | undefined,
): NotificationState {
  if (setting.status === "insufficient") {
    return {
      state: "off",
      detail: `Keyspace notifications are off; ${FALLBACK_TEXT}. Run CONFIG SET ${SETTING_NAME} ${setting.needed}, or start with LOCKKEEPER_NOTIFICATIONS=set.`,
    };
  }
  if (missing?.length === 0 || (missing === undefined && setting.status === "sufficient"))
    return { state: "on" };
  if (setting.status === "sufficient") {
    return {
      state: "off",
      detail: `Keyspace notifications are enabled in Redis, but these events do not arrive: ${missing?.join(", ")}; ${FALLBACK_TEXT}. Check for a proxy between Lockkeeper and Redis.`,
    };
  }
  const missed = missing === undefined ? "and delivery could not be tested" : "and no notifications arrive";
  return {
    state: "off",
    detail: `Redis does not permit reading ${SETTING_NAME} (${setting.why}), ${missed}; ${FALLBACK_TEXT}. Set it to ${FLAGS_NEEDED} in the configuration of this Redis.`,
  };
}

async function readFlags(redis: Redis): Promise<string> {
  const reply = await redis.config("GET", SETTING_NAME);
  return String((reply as unknown[])[1] ?? "");
}

export function hasRequiredFlags(flags: string): boolean {
  return [...FLAGS_NEEDED].every((flag) => flags.includes(flag) || (flags.includes("A") && flag !== "K"));
}

/**
 * Adds the flags that the watcher needs to a value of `notify-keyspace-events`. `A` in the value stands for all event
 * classes. `$` is placed last, because a shell does not expand a trailing `$`.
 */
export function mergeFlags(flags: string): string {
  const present = [...flags];
  const missing = [...FLAGS_NEEDED].filter(
    (flag) => !flags.includes(flag) && (flag === "K" || !flags.includes("A")),
  );
  const all = [...present, ...missing];
  return [...all.filter((flag) => flag !== "$"), ...all.filter((flag) => flag === "$")].join("");
}

function startsWith(data: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (end - start < prefix.length) return false;
  for (let at = 0; at < prefix.length; at++) if (data[start + at] !== prefix[at]) return false;
  return true;
}
