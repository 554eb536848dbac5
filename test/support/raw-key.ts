import type { LockType } from "../../server/formats/observation.ts";
import type { RawKey } from "../../server/formats/raw-key.ts";

/** Creates the raw data of a key as a read returns it, without companion keys. */
export function createRawKey(
  key: string,
  type: LockType,
  content: readonly (string | Buffer)[],
  fields: Partial<RawKey> = {},
): RawKey {
  const bytes = content.map((each) => (Buffer.isBuffer(each) ? each : Buffer.from(each)));
  const size = type === "string" ? (bytes[0]?.length ?? 0) : bytes.length;
  return {
    ...{ key, type, size, bytes: 0, content: bytes },
    ...{ asOf: Date.now(), remainingMs: 30_000, companion: undefined },
    ...{ waiting: 0, fenceCounter: null, queued: 0, permits: [] },
    ...fields,
  };
}

/** Creates the raw data of a string key with a TTL in milliseconds. `null` means no TTL. */
export function createRawString(
  key: string,
  value: string | Buffer,
  remainingMs: number | null = 30_000,
): RawKey {
  return createRawKey(key, "string", [value], { remainingMs });
}
