const KEYSPACE_PREFIX = Buffer.from("__keyspace@");
/** Redis events after which a lock may be free. Renewals and acquires cause other events. */
const ENDINGS: ReadonlySet<string> = new Set(["del", "expired", "evicted", "rename_from", "move_from"]);
/** Redis events after which the key exists. */
const BEGINNINGS: ReadonlySet<string> = new Set(["set", "hset", "hincrby"]);
const EVENT_BYTES_MAX = 16;

/** Returns the channel of a key's keyspace notifications. Redis publishes them only if they are enabled. */
export function buildKeyspaceChannel(db: number, key: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`__keyspace@${db}__:`), key]);
}

export function isKeyspaceChannel(channel: Buffer): boolean {
  return channel.subarray(0, KEYSPACE_PREFIX.length).equals(KEYSPACE_PREFIX);
}

/**
 * Whether a message means that a lock may be free. True for any message on a wake-up channel, and for a keyspace
 * notification after which the key may be gone.
 */
export function isWakeUp(channel: Buffer, message: Buffer | undefined): boolean {
  return !isKeyspaceChannel(channel) || isEventIn(ENDINGS, message);
}

/** Whether a message means that the lock is held. Such a message overrides earlier ones. */
export function isTaken(channel: Buffer, message: Buffer | undefined): boolean {
  return isKeyspaceChannel(channel) && isEventIn(BEGINNINGS, message);
}

function isEventIn(events: ReadonlySet<string>, message: Buffer | undefined): boolean {
  return message !== undefined && message.length <= EVENT_BYTES_MAX && events.has(message.toString());
}
