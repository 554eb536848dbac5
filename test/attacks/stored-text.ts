import type { Redis } from "ioredis";

/** Functions that read the whole content of a key, by Redis type. DUMP is not suitable because it compresses text. */
const READ_BY_TYPE: Readonly<Record<string, (redis: Redis, key: Buffer) => Promise<unknown>>> = {
  string: (redis, key) => redis.getBuffer(key),
  hash: (redis, key) => redis.callBuffer("HGETALL", key),
  list: (redis, key) => redis.lrangeBuffer(key, 0, -1),
  set: (redis, key) => redis.smembersBuffer(key),
  zset: (redis, key) => redis.callBuffer("ZRANGE", key, "0", "-1"),
  stream: (redis, key) => redis.callBuffer("XRANGE", key, "-", "+"),
  none: async () => [],
};

/**
 * Reads the whole content of a Redis server as text: key names, fields, members and values.
 *
 * @throws if the type of a key is not in `READ_BY_TYPE`
 */
export async function readStoredText(redis: Redis): Promise<string> {
  const parts: string[] = [];
  for (const key of (await redis.callBuffer("KEYS", "*")) as Buffer[]) {
    const type = await redis.type(key);
    const read = READ_BY_TYPE[type];
    if (read === undefined) throw new Error(`${key} has the type ${type}, which is not read`);
    collectText([key, await read(redis, key)], parts);
  }
  return parts.join("\n");
}

function collectText(reply: unknown, parts: string[]): void {
  if (Array.isArray(reply)) for (const part of reply) collectText(part, parts);
  else if (reply !== null) parts.push(String(reply));
}
