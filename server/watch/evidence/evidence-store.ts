import { encodeKeyPath, type Key, parseKeyPath } from "../../../lib/keys/key.ts";
import { HOME_PREFIX } from "../../formats/keys.ts";
import type { HomeStore } from "../../home/home-store.ts";

const SCAN_COUNT = 1000;
/** Time, in ms, for which the store keeps the evidence of a target that is no longer watched: seven days. */
const RETENTION_MS = 7 * 86_400_000;

/** The evidence about the locks of one target, stored in the home store as a hash with one field per lock. */
export class EvidenceStore {
  readonly #redisKey: string;

  constructor(
    private readonly home: HomeStore,
    target: string,
  ) {
    this.#redisKey = `${HOME_PREFIX}evidence:${target}`;
  }

  get isDisconnected(): boolean {
    return this.home.isDisconnected;
  }

  /**
   * Runs a task immediately, or once the home store is connected. If the task fails with `unavailable` or
   * `unknown_outcome`, it runs again after the next reconnection.
   *
   * @throws any other error from the task, if the task runs immediately
   */
  whenAvailable(task: () => Promise<void>): Promise<void> {
    return this.home.whenAvailable(task);
  }

  /** Calls the listener each time Lockkeeper finds that the home store has lost its data. */
  onEmptied(listener: () => void): void {
    this.home.onEmptied(async () => listener());
  }

  /** Returns the stored evidence for each lock, by key. @throws LockkeeperError unavailable, unknown_outcome */
  async readAll(): Promise<Map<Key, string>> {
    const texts = new Map<Key, string>();
    let cursor = "0";
    do {
      const from = cursor;
      const [next, fields] = await this.home.run((redis) =>
        redis.hscan(this.#redisKey, from, "COUNT", SCAN_COUNT),
      );
      cursor = next;
      for (let at = 0; at + 1 < fields.length; at += 2) {
        const path = parseKeyPath(fields[at] ?? "");
        if (path.ok) texts.set(path.key, fields[at + 1] ?? "");
      }
    } while (cursor !== "0");
    return texts;
  }

  /**
   * Stores the evidence in `written`, and then removes the evidence for the keys in `removed`.
   *
   * @throws LockkeeperError unavailable, unknown_outcome
   */
  async write(written: readonly (readonly [Key, string])[], removed: readonly Key[]): Promise<void> {
    const fields = written.flatMap(([key, text]) => [encodeKeyPath(key), text]);
    if (fields.length > 0) await this.home.run((redis) => redis.hset(this.#redisKey, ...fields));
    if (removed.length > 0)
      await this.home.run((redis) => redis.hdel(this.#redisKey, ...removed.map(encodeKeyPath)));
  }

  /** Restarts the seven-day retention period of the evidence. @throws LockkeeperError unavailable, unknown_outcome */
  async extendRetention(): Promise<void> {
    await this.home.run((redis) => redis.pexpire(this.#redisKey, RETENTION_MS));
  }
}
