import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { UnavailableError, UnknownOutcomeError } from "../errors/redis-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import { attempt } from "../locks/verbs/attempt.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import type { Commands } from "../redis/commands.ts";

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

  readonly #awaiting = new Set<() => Promise<void>>();

  /** @param store of a cluster, the master of the slot that all our keys are in */
  constructor(readonly store: Redis | SlotMaster) {
    const emitter: Pick<Commands, "on"> = store;
    emitter.on("ready", () => void this.#catchUp());
  }

  close(): void {
    this.store.disconnect();
  }

  /** Called when the store was found empty although we had written to it. */
  onEmptied(restore: Restore): void {
    this.#onEmptied.push(restore);
  }

  get isAway(): boolean {
    return this.store.status !== "ready";
  }

  /** Closed for good. */
  get isClosed(): boolean {
    return this.store.status === "end";
  }

  /** Runs a command once; what fails is the caller's. */
  async call<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const { store } = this;
    return await (store instanceof SlotMaster ? store.call(command) : command(store));
  }

  /** Runs a command that may be repeated. @throws LockkeeperError unavailable, unknown_outcome */
  async run<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    return await attempt(this.store, () => this.call(command));
  }

  /** Runs a task that may be repeated: now, or as soon as the store is there. @throws what the task throws else */
  async whenThere(task: () => Promise<void>): Promise<void> {
    if (this.isAway) this.#awaiting.add(task);
    else await this.#try(task);
  }

  async #try(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      this.#awaiting.delete(task);
    } catch (error) {
      if (!(error instanceof UnavailableError || error instanceof UnknownOutcomeError)) throw error;
      this.#awaiting.add(task);
    }
  }

  async #catchUp(): Promise<void> {
    for (const task of [...this.#awaiting]) {
      // What cannot be done is found again, and said, by whoever asks for it.
      await this.#try(task).catch(() => undefined);
    }
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
