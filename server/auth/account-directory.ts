import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "../errors/redis-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { Script } from "../redis/script.ts";
import { type AccountChange, Accounts } from "./account.ts";

const ACCOUNTS_KEY = `${HOME_PREFIX}accounts`;
/** Interval in ms at which each instance checks the home store for changes. */
const REFRESH_INTERVAL_MS = 1000;
/** Maximum age of fresh accounts in ms: 1 s for the refresh interval, and 1 s for a slow reply. */
const FRESH_MS = 2000;
/**
 * Minimum interval in ms between refreshes that requests cause, for example with unknown keys. All requests share the
 * interval.
 */
const SHARED_REFRESH_INTERVAL_MS = 100;
const TRIES_MAX = 20;

const writeScript = new Script<[string], RedisArgument[], "written" | "changed">(
  new URL("account-write.lua", import.meta.url),
  (reply) => (String(reply) === "written" ? "written" : "changed"),
);
const restoreScript = new Script<[string], RedisArgument[], void>(
  new URL("account-restore.lua", import.meta.url),
  () => undefined,
);

/**
 * The operators and API keys. They are stored in the home store, and each instance caches all of them, so that requests
 * need no round trip. While `isFresh` is true, the cache includes all changes that are more than two seconds old. If
 * the home store has older accounts than the cache, for example after a failover, the instance writes its cached
 * accounts back.
 */
export class AccountDirectory {
  #accounts = new Accounts("", new Map());
  #sessionsRevision: string | null = null;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #sharedRefresh: Promise<void> | undefined;
  #changeListener: () => void = () => undefined;

  private constructor(private readonly home: HomeStore) {}

  /**
   * Opens the directory. Reads the accounts now, or as soon as the home store is connected, and then refreshes them
   * every second until the store is closed.
   */
  static async open(home: HomeStore): Promise<AccountDirectory> {
    const book = new AccountDirectory(home);
    await home.whenAvailable(() => book.refresh());
    book.#scheduleRefresh();
    return book;
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  /** Time since the start of the last successful refresh, in ms. Infinity if no refresh has succeeded. */
  get ageMs(): number {
    return performance.now() - this.#refreshedAt;
  }

  /** Whether the cache includes all revocations that happened more than two seconds ago. */
  get isFresh(): boolean {
    return this.ageMs < FRESH_MS;
  }

  /**
   * A value that changes whenever any instance ends sessions. `null` if no sessions have been ended. Keeps its value if
   * the home store loses it.
   */
  get sessionsRevision(): string | null {
    return this.#sessionsRevision;
  }

  /** Sets the listener for changes to accounts or sessions on any instance. Replaces an earlier listener. */
  onChange(listener: () => void): void {
    this.#changeListener = listener;
  }

  /** Notifies all instances that sessions have ended. @throws LockkeeperError unavailable, unknown_outcome */
  async publishSessionsEnded(): Promise<void> {
    const mark = randomBytes(9).toString("base64url");
    await this.home.run((redis) => redis.hset(ACCOUNTS_KEY, "sessions", mark));
    this.#sessionsRevision = mark;
    this.#changeListener();
  }

  /** Reads whether any instance has ended sessions. @throws LockkeeperError unavailable, unknown_outcome */
  async refreshSessionsRevision(): Promise<void> {
    this.#applySessionsRevision(await this.home.run((redis) => redis.hget(ACCOUNTS_KEY, "sessions")));
  }

  // Ignores a missing revision, because the known one shows which cached sessions can be restored after a data loss.
  #applySessionsRevision(stored: string | null): void {
    if (stored === null || stored === this.#sessionsRevision) return;
    this.#sessionsRevision = stored;
    this.#changeListener();
  }

  /**
   * Refreshes the accounts. Concurrent callers share one refresh. Never rejects, so callers must check `isFresh` or
   * `ageMs` afterwards.
   */
  refreshShared(): Promise<void> {
    this.#sharedRefresh ??= this.#refreshAfterPause().finally(() => {
      this.#sharedRefresh = undefined;
    });
    return this.#sharedRefresh;
  }

  /**
   * Changes accounts. Calls `decide` with the stored accounts and writes the changes that it returns. If another
   * instance changes accounts at the same time, calls `decide` again with the new accounts.
   *
   * @throws LockkeeperError unavailable or unknown_outcome; the error from `decide` if `decide` throws
   */
  async update<Result>(
    decide: (accounts: Accounts) => { readonly changes: readonly AccountChange[]; readonly result: Result },
  ): Promise<Result> {
    for (let left = TRIES_MAX; left > 0; left--) {
      await this.refresh();
      const before = this.#accounts;
      const { changes, result } = decide(before);
      if (changes.length === 0) return result;
      const version = `${parseVersionNumber(before.version) + 1}.${randomBytes(9).toString("base64url")}`;
      const pairs = changes.flatMap(([field, json = ""]) => [field, json]);
      const outcome = await this.home.run((redis) =>
        writeScript.run(redis, [ACCOUNTS_KEY], [before.version, version, ...pairs]),
      );
      if (outcome === "written") {
        this.#apply(before.applyChanges(version, changes));
        return result;
      }
      await sleep(Math.random() * 20);
    }
    throw new UnavailableError("Too many concurrent changes to accounts. Nothing was done. Retry later.");
  }

  #apply(accounts: Accounts): void {
    if (parseVersionNumber(accounts.version) < parseVersionNumber(this.#accounts.version)) return;
    this.#accounts = accounts;
    this.#changeListener();
  }

  /** Runs a task now, or as soon as the home store is connected. May run the task more than once. */
  whenAvailable(task: () => Promise<void>): Promise<void> {
    return this.home.whenAvailable(task);
  }

  /** Refreshes the cached accounts from the home store. @throws LockkeeperError unavailable, unknown_outcome */
  async refresh(): Promise<void> {
    await this.home.ensureRestored();
    await this.#refreshWith((command) => this.home.run(command));
  }

  async #refreshAfterPause(): Promise<void> {
    const waitMs = SHARED_REFRESH_INTERVAL_MS - this.ageMs;
    if (waitMs > 0) await sleep(waitMs);
    await this.#refreshOnce();
  }

  #refreshOnce(): Promise<void> {
    // Errors are ignored, because a failed refresh leaves `#refreshedAt` unchanged and `isFresh` thus becomes false.
    this.#refreshing ??= this.#refreshWith((command) => this.home.callOnce(command))
      .catch(() => undefined)
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  async #refreshWith(call: HomeStore["callOnce"]): Promise<void> {
    const askedAt = performance.now();
    const [version, mark] = await call((redis) => redis.hmget(ACCOUNTS_KEY, "version", "sessions"));
    if (parseVersionNumber(version ?? null) < parseVersionNumber(this.#accounts.version))
      await this.#restore(call);
    else if ((version ?? "") !== this.#accounts.version) await this.#load(call);
    this.#applySessionsRevision(mark ?? null);
    this.#refreshedAt = Math.max(this.#refreshedAt, askedAt);
  }

  async #load(call: HomeStore["callOnce"]): Promise<void> {
    const { version = "", sessions: _, ...fields } = await call((redis) => redis.hgetall(ACCOUNTS_KEY));
    this.#apply(new Accounts(version, new Map(Object.entries(fields)), this.#accounts));
  }

  // Writes the cached accounts back. Otherwise, a store that has lost its latest changes would make revoked credentials
  // valid again.
  async #restore(call: HomeStore["callOnce"]): Promise<void> {
    const { version, fields } = this.#accounts;
    await call((redis) => restoreScript.run(redis, [ACCOUNTS_KEY], [version, ...[...fields].flat()]));
  }

  #scheduleRefresh(): void {
    const refresh = async () => {
      if (this.home.isClosed) return;
      if (!this.home.isDisconnected) {
        // Requests with an API key do not check this. Other data is written back soon after a loss, and the time of the
        // last check shows which sessions may be restored.
        await this.home.ensureRestored().catch(() => undefined);
        await this.#refreshOnce();
      }
      this.#scheduleRefresh();
    };
    setTimeout(() => void refresh(), REFRESH_INTERVAL_MS).unref();
  }
}

function parseVersionNumber(version: string | null): number {
  return Number.parseInt(version ?? "0", 10) || 0;
}
