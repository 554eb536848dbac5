import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { UnavailableError, UnknownOutcomeError } from "../errors/redis-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import { attempt } from "../locks/verbs/attempt.ts";
import { SlotMaster } from "../redis/cluster/slot-master.ts";
import type { Commands } from "../redis/commands.ts";

const STORE_ID_KEY = `${HOME_PREFIX}home`;

/**
 * Restores data.
 * @param lastIntactAt `performance.now()` when the store was last known to contain its data
 */
type RestoreCallback = (lastIntactAt: number) => Promise<void>;

/**
 * The Redis that stores Lockkeeper's own data. Redis can lose the data, for example in a restart without persistence.
 * Lockkeeper detects a loss if the key with the store's id is missing or contains a different id. The restore callbacks
 * then rewrite the data that must survive.
 */
export class HomeStore {
  readonly #restoreCallbacks: RestoreCallback[] = [];
  #storeId: string | undefined;
  #restoring: Promise<void> | undefined;
  #respondedAt = Number.NEGATIVE_INFINITY;

  readonly #pendingTasks = new Set<() => Promise<void>>();

  /** @param store in a cluster, the master of the slot that contains all of Lockkeeper's keys */
  constructor(readonly store: Redis | SlotMaster) {
    const emitter: Pick<Commands, "on"> = store;
    emitter.on("ready", () => void this.#runPendingTasks());
  }

  close(): void {
    this.store.disconnect();
  }

  /** Registers a callback that runs if `ensureRestored` finds that the store has lost its data. */
  onEmptied(restore: RestoreCallback): void {
    this.#restoreCallbacks.push(restore);
  }

  get isDisconnected(): boolean {
    return this.store.status !== "ready";
  }

  /** Whether the connection is permanently closed. */
  get isClosed(): boolean {
    return this.store.status === "end";
  }

  /** Returns whether a Lockkeeper instance has stored its data in this Redis. */
  async isInUse(): Promise<boolean> {
    return (await this.callOnce((redis) => redis.exists(STORE_ID_KEY))) === 1;
  }

  /** Runs a command once, without retries. The caller must handle errors. */
  async callOnce<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    const { store } = this;
    return await (store instanceof SlotMaster ? store.call(command) : command(store));
  }

  /** Runs a command that is safe to repeat. @throws LockkeeperError `unavailable` or `unknown_outcome` */
  async run<Reply>(command: (redis: Redis) => Promise<Reply>): Promise<Reply> {
    return await attempt(this.store, () => this.callOnce(command));
  }

  /**
   * Runs a task that is safe to repeat, either immediately or once the store is connected. If the task fails with
   * `unavailable` or `unknown_outcome`, it runs again after the next reconnection.
   *
   * @throws any other error from the task, if the task runs immediately
   */
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
      // Errors are ignored here: the next caller that needs the result repeats the task and gets the error.
      await this.#runTask(task).catch(() => undefined);
    }
  }

  /**
   * Calls `poll` at an interval while the store is connected. Ignores its errors.
   *
   * @returns a function that stops the polling
   */
  startPolling(intervalMs: number, poll: () => Promise<void>): () => void {
    const timer = setInterval(() => {
      if (!this.isDisconnected) void poll().catch(() => undefined);
    }, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Checks whether the store still has Lockkeeper's data, and restores the data if it was lost. */
  ensureRestored(): Promise<void> {
    this.#restoring ??= this.#restoreIfEmptied().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #restoreIfEmptied(): Promise<void> {
    const lastIntactAt = this.#respondedAt;
    const found = await this.run((redis) => redis.get(STORE_ID_KEY));
    if (found === null || found !== this.#storeId) {
      const isEmptied = this.#storeId !== undefined;
      await this.run((redis) => redis.set(STORE_ID_KEY, randomBytes(9).toString("base64url"), "NX"));
      const mark = (await this.run((redis) => redis.get(STORE_ID_KEY))) ?? undefined;
      if (isEmptied) for (const restore of this.#restoreCallbacks) await restore(lastIntactAt);
      this.#storeId = mark;
    }
    this.#respondedAt = performance.now();
  }
}
