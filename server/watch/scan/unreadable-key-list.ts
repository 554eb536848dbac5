import type { UnreadableKeyCounts } from "../../../lib/contract/live.ts";
import type { UnreadableReason } from "../../../lib/contract/lock.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Observation } from "../../formats/observation.ts";
import { describeExcess } from "../../formats/raw-key.ts";

/** Maximum number of keys to store and count. */
const UNREADABLE_MAX = 10_000;

export interface UnreadableKey {
  readonly reason: UnreadableReason;
  /** Why the key cannot be read, as a phrase without a trailing period. */
  readonly why: string;
}

/**
 * A master's watched keys that could not be read, or whose content is too large to read. Limited to 10,000 keys.
 */
export class UnreadableKeyList {
  readonly #byKey = new Map<Key, UnreadableKey>();
  readonly #counts = { too_large: 0, forbidden: 0, timeout: 0, error: 0 };

  get counts(): UnreadableKeyCounts {
    return { count: this.#byKey.size, byReason: { ...this.#counts } };
  }

  get entries(): ReadonlyMap<Key, UnreadableKey> {
    return this.#byKey;
  }

  get keys(): Iterable<Key> {
    return this.#byKey.keys();
  }

  record(observation: Observation): void {
    const { key } = observation;
    const unreadable = toUnreadableKey(observation);
    this.delete(key);
    if (unreadable === undefined || this.#byKey.size >= UNREADABLE_MAX) return;
    this.#byKey.set(key, unreadable);
    this.#counts[unreadable.reason]++;
  }

  delete(key: Key): void {
    const known = this.#byKey.get(key);
    if (known === undefined) return;
    this.#byKey.delete(key);
    this.#counts[known.reason]--;
  }
}

function toUnreadableKey(observation: Observation): UnreadableKey | undefined {
  if (observation.state === "unreadable") return { reason: observation.reason, why: observation.why };
  if (observation.state !== "not_a_lock" || observation.unread === undefined) return undefined;
  return { reason: "too_large", why: `a ${observation.type} ${describeExcess(observation.unread)}` };
}
