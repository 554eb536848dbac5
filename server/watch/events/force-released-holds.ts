import type { FormatName } from "../../../lib/contract/format.ts";
import { FORMAT_FACTS } from "../../../lib/formats/format-catalogue.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { HeldObservation } from "../../formats/observation.ts";
import { isNamedByOwner } from "../holds/holder-identity.ts";
import { remakingMsOf } from "../holds/renewal-policy.ts";

const FORCED_MAX = 1000;

interface Freed {
  /** An operator said by the format that its owner string never comes back. */
  readonly isNamed: boolean;
  /** When, Redis's clock. */
  readonly at: number | undefined;
}

interface Began {
  readonly beganMs: number;
  readonly leaseMs: number | null;
}

/** The last holds of other libraries that were freed by force, so that one that is made again is known. */
export class Forced {
  readonly #freed = new Map<string, Freed>();

  add(key: Key, owner: Key, { as, at }: { as?: FormatName; at?: number }): void {
    const name = nameOf(key, owner);
    const before = this.#freed.get(name);
    const isNamed = before?.isNamed === true || (as !== undefined && FORMAT_FACTS[as].owner === "unique");
    this.#freed.delete(name);
    this.#freed.set(name, { isNamed, at: at ?? before?.at });
    const [oldest] = this.#freed.keys();
    if (this.#freed.size > FORCED_MAX && oldest !== undefined) this.#freed.delete(oldest);
  }

  /**
   * Whether the very hold of this owner was freed. Of an owner who has its string again it is, until the next renewal
   * of a library that makes its lock again by that; of others it cannot be told.
   */
  has(seen: HeldObservation, owner: Key, { beganMs, leaseMs }: Began): boolean {
    const freed = this.#freed.get(nameOf(seen.key, owner));
    if (freed === undefined) return false;
    if (freed.isNamed || isNamedByOwner(seen)) return true;
    const comesBack = FORMAT_FACTS[seen.format].comesBack !== undefined;
    return comesBack && freed.at !== undefined && beganMs - freed.at <= remakingMsOf(seen, leaseMs);
  }
}

const nameOf = (key: Key, owner: Key) => `${key.length} ${key}${owner}`;
