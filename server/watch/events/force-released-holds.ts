import type { FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { hasUniqueOwner } from "../holds/holder-identity.ts";
import { computeReacquireWindowMs } from "../holds/renewal-policy.ts";

const ENTRIES_MAX = 1000;

interface ForceReleaseRecord {
  /** Whether the hold was force-released in a format that never reuses owner strings. */
  readonly isUniqueOwner: boolean;
  /** Time of the force-release on the Redis clock. */
  readonly at: number | undefined;
}

interface HoldStart {
  readonly startMs: number;
  readonly leaseMs: number | null;
}

/**
 * Records of the most recently force-released foreign holds. Lockkeeper uses these records to recognize a hold that a
 * library recreates after the force-release.
 */
export class ForceReleasedHolds {
  readonly #records = new Map<string, ForceReleaseRecord>();

  /**
   * Records the force-release of a hold. `as` is the format in which the hold was released, and `at` is the time of the
   * force-release in Unix ms on the Redis clock.
   *
   * @param token the value that the lock stored for the holder
   */
  add(key: Key, token: Key, { as, at }: { as?: FormatName; at?: number }): void {
    const name = formatHolderKey(key, token);
    const before = this.#records.get(name);
    const isNamed =
      before?.isUniqueOwner === true || (as !== undefined && FORMAT_FACTS[as].owner === "unique");
    this.#records.delete(name);
    this.#records.set(name, { isUniqueOwner: isNamed, at: at ?? before?.at });
    const [oldest] = this.#records.keys();
    if (this.#records.size > ENTRIES_MAX && oldest !== undefined) this.#records.delete(oldest);
  }

  /**
   * Returns whether a foreign hold was force-released and then recreated by its library. If the owner string can be
   * reused, returns true only if the library can recreate its locks and the hold began soon after the force-release.
   */
  has(
    seen: HeldObservation,
    { token, fence }: Pick<SeenHolder, "token" | "fence">,
    { startMs, leaseMs }: HoldStart,
  ): boolean {
    const record = fence === null ? this.#records.get(formatHolderKey(seen.key, token)) : undefined;
    if (record === undefined) return false;
    if (record.isUniqueOwner || hasUniqueOwner(seen)) return true;
    const comesBack = FORMAT_FACTS[seen.format].comesBack !== undefined;
    return (
      comesBack && record.at !== undefined && startMs - record.at <= computeReacquireWindowMs(seen, leaseMs)
    );
  }
}

const formatHolderKey = (key: Key, token: Key) => `${key.length} ${key}${token}`;
