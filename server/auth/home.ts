import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { OURS_AT_HOME } from "../formats/keys.ts";
import { attempt } from "../locks/attempt.ts";

const MARK = `${OURS_AT_HOME}home`;

/** @param answeredAt when (performance.now()) the store last answered with its data */
type Restore = (answeredAt: number) => Promise<void>;

/**
 * The store of our own facts. It may lose its data (a Redis restarted without persistence): a mark tells, and
 * whoever knows something that must not be lost writes it again.
 */
export class Home {
  readonly #onEmptied: Restore[] = [];
  #mark: string | undefined;
  #settling: Promise<void> | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(readonly redis: Redis) {}

  /** Called when the store was found empty although we had written to it. */
  onEmptied(restore: Restore): void {
    this.#onEmptied.push(restore);
  }

  get isAway(): boolean {
    return this.redis.status !== "ready";
  }

  /** Runs a command that may be repeated. @throws LockkeeperError unavailable, unknown_outcome */
  async run<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    return await attempt(this.redis, () => command(this.redis));
  }

  /** Makes sure that the store is the one we know, restoring ours when it was emptied. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settle(): Promise<void> {
    const answeredAt = this.#answeredAt;
    const found = await this.run((redis) => redis.get(MARK));
    if (found === null || found !== this.#mark) {
      const isEmptied = this.#mark !== undefined;
      await this.run((redis) => redis.set(MARK, randomBytes(9).toString("base64url"), "NX"));
      const mark = (await this.run((redis) => redis.get(MARK))) ?? undefined;
      if (isEmptied) for (const restore of this.#onEmptied) await restore(answeredAt);
      this.#mark = mark;
    }
    this.#answeredAt = performance.now();
  }
}
