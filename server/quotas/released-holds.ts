import type { Key } from "../../lib/keys/key.ts";
import { OBSERVED_WITHIN_MS } from "./hold-ledger.ts";

/**
 * The holds that this instance released within the last 5 s. Tokens are never reused, so a token identifies a released
 * hold.
 */
export class ReleasedHolds {
  /** Time in ms at which each hold was released, on the clock `now`, oldest first. */
  readonly #releasedAt = new Map<string, number>();

  /** @param now returns the current time of a monotonic clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(target: string, key: Key, token: string): void {
    this.#dropOld();
    this.#releasedAt.set(formatName(target, key, token), this.now());
  }

  has(target: string, key: Key, token: string): boolean {
    this.#dropOld();
    return this.#releasedAt.has(formatName(target, key, token));
  }

  #dropOld(): void {
    const oldest = this.now() - OBSERVED_WITHIN_MS;
    for (const [name, at] of this.#releasedAt) {
      if (at > oldest) return;
      this.#releasedAt.delete(name);
    }
  }
}

const formatName = (target: string, key: Key, token: string) => `${target}\0${key}\0${token}`;
