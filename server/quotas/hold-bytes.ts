import type { OwnerRecord } from "../../lib/contract/lock.ts";
import { encodeKey, isBinaryKey, type Key } from "../../lib/keys/key.ts";

/** Token, fence, times, the first request id, and what Redis adds to a key: measured with MEMORY USAGE. */
const HOLD_OVERHEAD_BYTES = 400;

/** What the size of a hold in Redis depends on. */
export interface HoldContent {
  readonly key: Key;
  readonly owner: string;
  readonly record?: OwnerRecord | undefined;
}

/** Estimates what a hold takes in Redis, in bytes: the lock's key and its companion, which has the key in its name. */
export function estimateHoldBytes({ key, owner, record }: HoldContent): number {
  return HOLD_OVERHEAD_BYTES + 2 * countKeyBytes(key) + Buffer.byteLength(owner) + countRecordBytes(record);
}

function countKeyBytes(key: Key): number {
  return isBinaryKey(key) ? encodeKey(key).length : Buffer.byteLength(key);
}

/** As JSON, whose escapes are left out. */
function countRecordBytes(record: OwnerRecord | undefined): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(record ?? {}))
    bytes += name.length + Buffer.byteLength(String(value)) + 6;
  return bytes;
}
