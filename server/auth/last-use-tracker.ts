import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";

const STORED = `${OURS_AT_HOME}account-uses`;
const WRITE_EVERY_MS = 60_000;

/** When each key was used and each operator logged in last. Written once a minute at most, beside what is asked for. */
export class AccountUses {
  readonly #at = new Map<string, number>();
  readonly #writtenAt = new Map<string, number>();

  constructor(private readonly home: Home) {
    home.onEmptied(async () => {
      for (const [field, at] of this.#at) await home.run((redis) => redis.hset(STORED, field, at));
    });
  }

  /** @param field of the account, as the book has it */
  touch(field: string): void {
    const now = Date.now();
    this.#at.set(field, now);
    if (now - (this.#writtenAt.get(field) ?? 0) < WRITE_EVERY_MS) return;
    // What could not be written is written with the next use a minute later.
    this.#writtenAt.set(field, now);
    this.home.call((redis) => redis.hset(STORED, field, now)).catch(() => undefined);
  }

  /** Unix ms of the last use by field, over all instances. @throws LockkeeperError unavailable, unknown_outcome */
  async all(): Promise<(field: string) => number | null> {
    const stored = await this.home.run((redis) => redis.hgetall(STORED));
    return (field) => {
      const at = Math.max(Number(stored[field]) || 0, this.#at.get(field) ?? 0);
      return at === 0 ? null : at;
    };
  }

  /** Of an account that is gone. */
  async forget(fields: readonly string[]): Promise<void> {
    for (const field of fields) {
      this.#at.delete(field);
      this.#writtenAt.delete(field);
    }
    if (fields.length > 0) await this.home.run((redis) => redis.hdel(STORED, ...fields));
  }
}
