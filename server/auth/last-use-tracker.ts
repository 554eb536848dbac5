import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";

const LAST_USES_KEY = `${HOME_PREFIX}account-uses`;
const WRITE_INTERVAL_MS = 60_000;

/**
 * Records the last use of each API key and the last login of each operator. Writes to the home store in the background,
 * at most once a minute per account.
 */
export class LastUseTracker {
  readonly #usedAt = new Map<string, number>();
  readonly #writtenAt = new Map<string, number>();

  constructor(private readonly home: HomeStore) {
    home.onEmptied(async () => {
      for (const [field, at] of this.#usedAt) await home.run((redis) => redis.hset(LAST_USES_KEY, field, at));
    });
  }

  /**
   * Records that an account was used now.
   *
   * @param field the field that stores the account in the home store
   */
  recordUse(field: string): void {
    const now = Date.now();
    this.#usedAt.set(field, now);
    if (now - (this.#writtenAt.get(field) ?? 0) < WRITE_INTERVAL_MS) return;
    // Set before the write, so that a failed write is not repeated until the account is used again a minute later.
    this.#writtenAt.set(field, now);
    this.home.callOnce((redis) => redis.hset(LAST_USES_KEY, field, now)).catch(() => undefined);
  }

  /**
   * Reads when accounts were last used on any instance. The returned function takes the field of an account and returns
   * the time at which the account was last used in Unix ms, or `null` if it was never used.
   *
   * @throws LockkeeperError unavailable, unknown_outcome
   */
  async readAll(): Promise<(field: string) => number | null> {
    const stored = await this.home.run((redis) => redis.hgetall(LAST_USES_KEY));
    return (field) => {
      const at = Math.max(Number(stored[field]) || 0, this.#usedAt.get(field) ?? 0);
      return at === 0 ? null : at;
    };
  }

  /** Removes the recorded uses of deleted accounts. */
  async forget(fields: readonly string[]): Promise<void> {
    for (const field of fields) {
      this.#usedAt.delete(field);
      this.#writtenAt.delete(field);
    }
    if (fields.length > 0) await this.home.run((redis) => redis.hdel(LAST_USES_KEY, ...fields));
  }
}
