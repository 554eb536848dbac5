import type { FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation, SeenHolder } from "../../formats/observation.ts";
import { hasUniqueOwner } from "../holds/holder-identity.ts";
import { computeReacquireWindowMs } from "../holds/renewal-policy.ts";

const ENTRIES_MAX = 1000;

interface ForceReleaseRecord {
  /** An operator said by the format that its owner string never comes back. */
  readonly isUniqueOwner: boolean;
  /** When, Redis's clock. */
  readonly at: number | undefined;
}

interface HoldStart {
  readonly startMs: number;
  readonly leaseMs: number | null;
}

/** The last holds of other libraries that were freed by force, so that one that is made again is known. */
export class ForceReleasedHolds {
  readonly #records = new Map<string, ForceReleaseRecord>();

  /** @param token what the lock stored of the holder */
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
   * Whether the very hold of this owner was freed. Of an owner who has its string again it is, until the next renewal
   * of a library that makes its lock again by that; of others it cannot be told. Never of a hold of ours.
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
