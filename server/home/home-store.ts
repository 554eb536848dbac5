import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { UnavailableError, UnknownOutcomeError } from "../errors/redis-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import { attempt } from "../locks/verbs/attempt.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import type { Commands } from "../redis/commands.ts";

const STORE_ID_KEY = `${HOME_PREFIX}home`;

/** @param answeredAt when (performance.now()) the store last answered with its data */
type RestoreCallback = (answeredAt: number) => Promise<void>;

/**
 * The store of our own facts. It may lose its data (a Redis restarted without persistence): a mark tells, and
 * whoever knows something that must not be lost writes it again.
 */
export class HomeStore {
  readonly #restoreCallbacks: RestoreCallback[] = [];
  #storeId: string | undefined;
  #restoring: Promise<void> | undefined;
  #respondedAt = Number.NEGATIVE_INFINITY;

  readonly #pendingTasks = new Set<() => Promise<void>>();

  /** @param store of a cluster, the master of the slot that all our keys are in */
  constructor(readonly store: Redis | SlotMaster) {
    const emitter: Pick<Commands, "on"> = store;
    emitter.on("ready", () => void this.#runPendingTasks());
  }

  close(): void {
    this.store.disconnect();
  }

  /** Called when the store was found empty although we had written to it. */
  onEmptied(restore: RestoreCallback): void {
    this.#restoreCallbacks.push(restore);
  }

  get isDisconnected(): boolean {
    return this.store.status !== "ready";
  }

  /** Closed for good. */
  get isClosed(): boolean {
    return this.store.status === "end";
  }

  /** Runs a command once; what fails is the caller's. */
  async callOnce<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const { store } = this;
    return await (store instanceof SlotMaster ? store.call(command) : command(store));
  }

  /** Runs a command that may be repeated. @throws LockkeeperError unavailable, unknown_outcome */
  async run<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    return await attempt(this.store, () => this.callOnce(command));
  }

  /** Runs a task that may be repeated: now, or as soon as the store is there. @throws what the task throws else */
  async whenAvailable(task: () => Promise<void>): Promise<void> {
    if (this.isDisconnected) this.#pendingTasks.add(task);
    else await this.#runTask(task);
  }

  async #runTask(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      this.#pendingTasks.delete(task);
    } catch (error) {
      if (!(error instanceof UnavailableError || error instanceof UnknownOutcomeError)) throw error;
      this.#pendingTasks.add(task);
    }
  }

  async #runPendingTasks(): Promise<void> {
    for (const task of [...this.#pendingTasks]) {
      // What cannot be done is found again, and said, by whoever asks for it.
      await this.#runTask(task).catch(() => undefined);
    }
  }

  /** Makes sure that the store is the one we know, restoring ours when it was emptied. */
  ensureRestored(): Promise<void> {
    this.#restoring ??= this.#restoreIfEmptied().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #restoreIfEmptied(): Promise<void> {
    const answeredAt = this.#respondedAt;
    const found = await this.run((redis) => redis.get(STORE_ID_KEY));
    if (found === null || found !== this.#storeId) {
      const isEmptied = this.#storeId !== undefined;
      await this.run((redis) => redis.set(STORE_ID_KEY, randomBytes(9).toString("base64url"), "NX"));
      const mark = (await this.run((redis) => redis.get(STORE_ID_KEY))) ?? undefined;
      if (isEmptied) for (const restore of this.#restoreCallbacks) await restore(answeredAt);
      this.#storeId = mark;
    }
    this.#respondedAt = performance.now();
  }
}
