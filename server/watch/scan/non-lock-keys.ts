import type { Key } from "../../../lib/keys/key.ts";
import type { FingerprintReading, KeyFingerprint } from "../../formats/registry/read-fingerprints.ts";
import type { CallSize } from "./call-size.ts";

/** Maximum number of keys to store. Each takes about 100 bytes. Every scan reads the keys beyond this limit. */
const KEYS_MAX = 200_000;
/**
 * Share of the unchanged keys that each scan reads again. An unchanged key becomes a lock if its companion is created.
 */
const REREAD_SHARE = 1 / 50;
/** Offset added to the digest of a key that has a TTL. Larger than any digest. */
const WITH_TTL = 2 ** 40;

/** Fingerprints of watched keys that are not locks. Scans skip most keys whose fingerprint is unchanged. */
export class NonLockKeys {
  readonly #known = new Map<Key, number>();
  /** Fingerprints of the keys selected for reading, taken before the read. Removed when the key has been read. */
  readonly #taken = new Map<Key, number>();

  constructor(
    private readonly readFingerprints: (keys: readonly Key[]) => Promise<FingerprintReading[]>,
    private readonly callSize: CallSize,
  ) {}

  /**
   * Reads the fingerprints of keys and selects the keys that must be read in full.
   *
   * @returns the keys to read: new keys, changed keys, and a random share of the unchanged keys
   */
  async selectUnread(keys: readonly Key[]): Promise<Key[]> {
    const unread: Key[] = [];
    for (let from = 0; from < keys.length; ) {
      const batch = keys.slice(from, from + this.callSize.size);
      from += batch.length;
      const sentAt = performance.now();
      const readings = await this.readFingerprints(batch);
      this.callSize.record(batch.length, performance.now() - sentAt);
      for (const [at, key] of batch.entries()) if (this.#mustRead(key, readings[at])) unread.push(key);
    }
    return unread;
  }

  /** Records that a key was read. If the key is not a lock, stores its fingerprint. */
  record(key: Key, isLock: boolean): void {
    const fingerprint = this.#taken.get(key);
    this.#taken.delete(key);
    if (isLock || fingerprint === undefined) this.#known.delete(key);
    else if (this.#known.size < KEYS_MAX) this.#known.set(key, fingerprint);
  }

  clear(): void {
    this.#known.clear();
    this.#taken.clear();
  }

  #mustRead(key: Key, reading: FingerprintReading | undefined): boolean {
    if (typeof reading !== "object") return reading !== "gone";
    const fingerprint = toNumber(reading);
    if (this.#known.get(key) === fingerprint && Math.random() >= REREAD_SHARE) return false;
    this.#taken.set(key, fingerprint);
    return true;
  }
}

function toNumber({ digest, deadlineMs }: KeyFingerprint): number {
  return Number.parseInt(digest, 16) + (deadlineMs === undefined ? 0 : WITH_TTL);
}
