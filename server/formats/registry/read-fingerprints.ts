import type { Redis } from "ioredis";
import type { Key } from "../../../lib/keys/key.ts";
import type { RedisArgument } from "../../redis/commands.ts";
import { Script, toRedisArgument } from "../../redis/script.ts";
import { CONTENT_BYTES_MAX, MEMBERS_MAX, VALUE_BYTES_MAX } from "../raw-key.ts";

/** The deadline and digest of a key at the time of a read. */
export interface KeyFingerprint {
  /** When the key expires, in Unix ms on the Redis clock; `undefined` if it has no TTL. */
  readonly deadlineMs: number | undefined;
  /**
   * Hash of the type, size and content of the key. For a string, covers only the first 1,024 bytes of the content. For
   * a key of another type that is too large to be read, covers only the type and size.
   */
  readonly digest: string;
}

/**
 * The result of reading a fingerprint. `gone`: the key does not exist. `failed`: Redis did not return the fingerprint.
 * A read of the key then returns the reason.
 */
export type FingerprintReading = KeyFingerprint | "gone" | "failed";

/**
 * How keys are grouped into calls. `together`: one call may contain keys of several slots. `apart`: each key needs its
 * own call, as on a cluster.
 */
export type FingerprintCalls = "together" | "apart";

/** Number of keys per call. A call blocks Redis for at most about 0.3 ms. */
const KEYS_PER_CALL = 50;
const LIMITS = [VALUE_BYTES_MAX, MEMBERS_MAX, CONTENT_BYTES_MAX];
const NO_DEADLINE = -1;
const NO_KEY = -2;

const fingerprintScript = new Script<RedisArgument[], number[], FingerprintReading[]>(
  new URL("fingerprint.lua", import.meta.url),
  parseFingerprints,
);

/** Reads the fingerprints of keys in one round trip, or in two if a call fails. @returns one reading per key */
export async function readFingerprints(
  redis: Redis,
  keys: readonly Key[],
  calls: FingerprintCalls,
): Promise<FingerprintReading[]> {
  const size = calls === "together" ? KEYS_PER_CALL : 1;
  const groups = Array.from({ length: Math.ceil(keys.length / size) }, (_, at) =>
    keys.slice(at * size, (at + 1) * size),
  );
  const readings = await readGroups(redis, groups);
  // If the Redis user may not read one of the keys, the call fails for the whole group.
  const refused = groups.flatMap((group, at) => (readings[at] === undefined ? group : []));
  const apart =
    size === 1
      ? []
      : await readGroups(
          redis,
          refused.map((key) => [key]),
        );
  return groups.flatMap(
    (group, at) => readings[at] ?? group.map(() => apart.shift()?.[0] ?? ("failed" as const)),
  );
}

async function readGroups(
  redis: Redis,
  groups: readonly (readonly Key[])[],
): Promise<(FingerprintReading[] | undefined)[]> {
  const calls = groups.map((group) => ({ keys: group.map(toRedisArgument), arguments: LIMITS }));
  const replies = await fingerprintScript.readMany(redis, calls);
  return groups.map((group, at) => {
    const reply = replies[at];
    return reply instanceof Error || reply?.length !== group.length ? undefined : reply;
  });
}

function parseFingerprints(reply: unknown): FingerprintReading[] {
  const elements: unknown[] = Array.isArray(reply) ? reply : [];
  return Array.from({ length: elements.length / 2 }, (_, at) => {
    const deadline = Number(elements[2 * at]);
    if (deadline === NO_KEY) return "gone";
    const deadlineMs = deadline === NO_DEADLINE ? undefined : deadline;
    return { deadlineMs, digest: String(elements[2 * at + 1]) };
  });
}
