import { createHash } from "node:crypto";
import { KEY_BYTES_MAX } from "../../../lib/keys/key.ts";
import { isAuxiliaryKey } from "../../formats/keys.ts";

/** The count stops here: a larger number changes nothing about what an operator does. */
export const OVERSIZED_KEYS_MAX = 1000;

/** Longer than any prefix of a key that libraries keep beside a lock. */
const PREFIX_BYTES = 64;

/** Whether a key name is too long for a lock. Such names are neither decoded nor matched nor kept. */
export function isOversizedKey(name: Uint8Array): boolean {
  return name.length > KEY_BYTES_MAX;
}

/**
 * Counts the watched keys of a master whose names are longer than `KEY_BYTES_MAX`.
 *
 * A key is counted once, however often SCAN and notifications name it, until a whole scan did not find it. Each takes
 * some 50 bytes of memory, whatever the length of its name.
 */
export class OversizedKeys {
  /** By digest: the number of the scan that found the key last. */
  readonly #lastScan = new Map<string, number>();
  #scan = 0;

  /** At most `OVERSIZED_KEYS_MAX`. */
  get count(): number {
    return this.#lastScan.size;
  }

  record(name: Uint8Array): void {
    // The companion of a lock with a long name has a longer one.
    if (isAuxiliaryKey(Buffer.from(name.subarray(0, PREFIX_BYTES)).toString("latin1"))) return;
    const digest = digestEnds(name);
    if (this.#lastScan.size < OVERSIZED_KEYS_MAX || this.#lastScan.has(digest))
      this.#lastScan.set(digest, this.#scan);
  }

  /** A scan of the whole keyspace begins. */
  startScan(): void {
    this.#scan++;
  }

  /** The scan has seen every key: those that it did not find are gone. */
  completeScan(): void {
    for (const [digest, scan] of this.#lastScan) if (scan < this.#scan) this.#lastScan.delete(digest);
  }
}

/** Constant time: a name may have 512 MB. Names of one length that differ in the middle alone count as one. */
function digestEnds(name: Uint8Array): string {
  return createHash("sha1")
    .update(`${name.length} `)
    .update(name.subarray(0, KEY_BYTES_MAX))
    .update(name.subarray(-KEY_BYTES_MAX))
    .digest("base64");
}
