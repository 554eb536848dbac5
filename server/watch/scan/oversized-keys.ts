import { createHash } from "node:crypto";
import { KEY_BYTES_MAX } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";

/** Maximum number of oversized keys to count. A higher count would not help an operator. */
export const OVERSIZED_KEYS_MAX = 1000;

/** Number of leading bytes to check for the prefix of an auxiliary key. No library uses a longer prefix. */
const PREFIX_BYTES = 64;

/** Whether a key name is too long for a lock. Lockkeeper does not decode, match or store such names. */
export function isOversizedKey(name: Uint8Array): boolean {
  return name.length > KEY_BYTES_MAX;
}

/**
 * Counts the watched keys of a master whose names are longer than `KEY_BYTES_MAX`.
 *
 * Counts each key once, even if SCAN and notifications report the key repeatedly. Removes a key when a complete scan
 * does not find it. Each counted key takes about 50 bytes, regardless of the length of its name.
 */
export class OversizedKeys {
  /**
   * For each key, the number of the latest scan that had started when the key was last reported. The map key is the
   * digest of the key's name.
   */
  readonly #lastScan = new Map<string, number>();
  #scan = 0;

  /** Number of oversized keys, at most `OVERSIZED_KEYS_MAX`. */
  get count(): number {
    return this.#lastScan.size;
  }

  record(name: Uint8Array): void {
    // Ignores auxiliary keys. The name of an auxiliary key is longer than the name of its lock, so only the auxiliary
    // key may exceed the limit.
    if (isAuxiliaryKey(Buffer.from(name.subarray(0, PREFIX_BYTES)).toString("latin1"))) return;
    const digest = digestEnds(name);
    if (this.#lastScan.size < OVERSIZED_KEYS_MAX || this.#lastScan.has(digest))
      this.#lastScan.set(digest, this.#scan);
  }

  /** Records the start of a complete scan. */
  startScan(): void {
    this.#scan++;
  }

  /** Records the end of a complete scan. Removes the keys that have not been reported since the start of the scan. */
  completeScan(): void {
    for (const [digest, scan] of this.#lastScan) if (scan < this.#scan) this.#lastScan.delete(digest);
  }
}

/**
 * Computes a digest of the length, the beginning and the end of a name. Hashing a whole name of up to 512 MB would take
 * too long. Names of equal length that differ only in the middle get the same digest.
 */
function digestEnds(name: Uint8Array): string {
  return createHash("sha1")
    .update(`${name.length} `)
    .update(name.subarray(0, KEY_BYTES_MAX))
    .update(name.subarray(-KEY_BYTES_MAX))
    .digest("base64");
}
