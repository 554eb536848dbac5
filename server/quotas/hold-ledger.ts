import { isSemaphoreKind, type WritableKind } from "../../lib/contract/format.ts";
import type { Key } from "../../lib/keys/key.ts";
import { Deadlines } from "../watch/scan/deadlines.ts";

/** The holds of one principal and their memory in Redis. */
export interface HoldUsage {
  readonly holds: number;
  /** Estimated; see `estimateHoldBytes`. */
  readonly bytes: number;
}

export interface LedgerHold {
  readonly principal: string;
  readonly bytes: number;
  /** Time until expiry without renewal, in milliseconds. `null` if it has no TTL. */
  readonly remainingMs: number | null;
}

/** Returns the name under which a hold is recorded: its key, or for a hold that shares its key, also its token. */
export function toLedgerKey({
  key,
  kind,
  token,
}: {
  readonly key: Key;
  readonly kind?: WritableKind | undefined;
  readonly token?: string | undefined;
}): Key {
  return isSemaphoreKind(kind) ? `${key}\0${token ?? ""}` : key;
}

const NO_USAGE: HoldUsage = { holds: 0, bytes: 0 };

type Entry = Pick<LedgerHold, "principal" | "bytes">;

/**
 * Counts the live holds of each principal across all targets.
 *
 * A hold is removed when it is forgotten or has expired, so keys that are never read again do not accumulate. Changes
 * take constant time, apart from updating the deadline heap.
 */
export class HoldLedger {
  readonly #usages = new Map<string, HoldUsage>();
  readonly #holdsByTarget = new Map<string, TargetHolds>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Records the hold of a key and replaces the previous one. */
  record(target: string, key: Key, { principal, bytes, remainingMs }: LedgerHold): void {
    const { entries, deadlines } = this.#getTargetHolds(target);
    const before = entries.get(key);
    if (before?.principal !== principal || before.bytes !== bytes) {
      if (before !== undefined) this.#remove(before);
      entries.set(key, { principal, bytes });
      this.add(principal, 1, bytes);
    }
    if (remainingMs === null) deadlines.delete(key);
    else deadlines.set(key, this.now() + remainingMs);
  }

  /** Moves the deadline of a hold to `remainingMs` from now. Deadlines are never shortened. */
  extend(target: string, key: Key, remainingMs: number): void {
    const holds = this.#holdsByTarget.get(target);
    const before = holds?.deadlines.find(key);
    if (before !== undefined) holds?.deadlines.set(key, Math.max(before, this.now() + remainingMs));
  }

  /** Removes the hold of a key. */
  forget(target: string, key: Key): void {
    const holds = this.#holdsByTarget.get(target);
    const entry = holds?.entries.get(key);
    if (holds === undefined || entry === undefined) return;
    holds.entries.delete(key);
    holds.deadlines.delete(key);
    this.#remove(entry);
  }

  /** Returns the principal that holds the key. */
  findPrincipal(target: string, key: Key): string | undefined {
    this.#removeExpired();
    return this.#holdsByTarget.get(target)?.entries.get(key)?.principal;
  }

  getUsage(principal: string): HoldUsage {
    this.#removeExpired();
    return this.#usages.get(principal) ?? NO_USAGE;
  }

  /** Adds holds to a principal's usage before they are recorded for a key. Negative numbers subtract. */
  add(principal: string, holds: number, bytes: number): void {
    const before = this.#usages.get(principal) ?? NO_USAGE;
    const after = { holds: before.holds + holds, bytes: before.bytes + bytes };
    if (after.holds > 0) this.#usages.set(principal, after);
    else this.#usages.delete(principal);
  }

  /** Number of holds of all principals. */
  get size(): number {
    let size = 0;
    for (const { entries } of this.#holdsByTarget.values()) size += entries.size;
    return size;
  }

  #remove({ principal, bytes }: Entry): void {
    this.add(principal, -1, -bytes);
  }

  #removeExpired(): void {
    const now = this.now();
    for (const { entries, deadlines } of this.#holdsByTarget.values()) {
      for (const key of deadlines.takeDue(now)) {
        const entry = entries.get(key);
        entries.delete(key);
        if (entry !== undefined) this.#remove(entry);
      }
    }
  }

  #getTargetHolds(target: string): TargetHolds {
    let holds = this.#holdsByTarget.get(target);
    if (holds === undefined) {
      holds = { entries: new Map(), deadlines: new Deadlines() };
      this.#holdsByTarget.set(target, holds);
    }
    return holds;
  }
}

interface TargetHolds {
  readonly entries: Map<Key, Entry>;
  readonly deadlines: Deadlines<Key>;
}
