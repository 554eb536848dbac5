import { createHash } from "node:crypto";
import { KEY_BYTES_MAX } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";

/** Maximum number of oversized keys to count. A higher count would not change what an operator does. */
export const OVERSIZED_KEYS_MAX = 1000;

/** Number of bytes that are compared with prefixes: more than any prefix that libraries use for auxiliary keys. */
const PREFIX_BYTES = 64;

/** Whether a key name is too long for a lock. Such names are not decoded, matched or stored. */
export function isOversizedKey(name: Uint8Array): boolean {
  return name.length > KEY_BYTES_MAX;
}

/**
 * Counts the watched keys of a master whose names are longer than `KEY_BYTES_MAX`.
 *
 * A key is counted once, however often SCAN and notifications report it, until a complete scan does not find it. Each
 * counted key takes about 50 bytes, regardless of the length of its name.
 */
export class OversizedKeys {
  /** The number of the last scan that found the key, by digest. */
  readonly #lastScan = new Map<string, number>();
  #scan = 0;

  /** Number of oversized keys, at most `OVERSIZED_KEYS_MAX`. */
  get count(): number {
    return this.#lastScan.size;
  }

  record(name: Uint8Array): void {
    // The companion of a lock with a long name has an even longer one.
    if (isAuxiliaryKey(Buffer.from(name.subarray(0, PREFIX_BYTES)).toString("latin1"))) return;
    const digest = digestEnds(name);
    if (this.#lastScan.size < OVERSIZED_KEYS_MAX || this.#lastScan.has(digest))
      this.#lastScan.set(digest, this.#scan);
  }

  /** Starts a complete scan. */
  startScan(): void {
    this.#scan++;
  }

  /** Ends a complete scan: keys that it did not find are gone. */
  completeScan(): void {
    for (const [digest, scan] of this.#lastScan) if (scan < this.#scan) this.#lastScan.delete(digest);
  }
}

/**
 * Computes a digest in constant time, because a name can be up to 512 MB long. Names of equal length that differ only
 * in the middle have the same digest.
 */
function digestEnds(name: Uint8Array): string {
  return createHash("sha1")
    .update(`${name.length} `)
    .update(name.subarray(0, KEY_BYTES_MAX))
    .update(name.subarray(-KEY_BYTES_MAX))
    .digest("base64");
}
