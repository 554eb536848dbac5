import type { OwnerRecord } from "../../lib/contract/lock.ts";
import { encodeKey, isBinaryKey, type Key } from "../../lib/keys/key.ts";

/**
 * Size in bytes of a hold without its key, owner and owner record: token, fencing token, timestamps, first request id
 * and Redis's overhead per key. Measured with MEMORY USAGE.
 */
const HOLD_OVERHEAD_BYTES = 400;

/** The variable-size data of a hold, which determines how much memory the hold uses in Redis. */
export interface HoldContent {
  readonly key: Key;
  readonly owner: string;
  readonly record?: OwnerRecord | undefined;
}

/**
 * Estimates how much memory a hold uses in Redis, in bytes. Counts the key twice, because the companion's name contains
 * the key.
 */
export function estimateHoldBytes({ key, owner, record }: HoldContent): number {
  return HOLD_OVERHEAD_BYTES + 2 * countKeyBytes(key) + Buffer.byteLength(owner) + countRecordBytes(record);
}

function countKeyBytes(key: Key): number {
  return isBinaryKey(key) ? encodeKey(key).length : Buffer.byteLength(key);
}

/** Estimates the size in bytes of an owner record as JSON, without escape characters. */
function countRecordBytes(record: OwnerRecord | undefined): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(record ?? {}))
    bytes += name.length + Buffer.byteLength(String(value)) + 6;
  return bytes;
}
