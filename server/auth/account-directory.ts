import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "../errors/redis-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import type { RedisArgument } from "../redis/commands.ts";
import { Script } from "../redis/script.ts";
import { Accounts, type Change } from "./account.ts";

const STORED = `${OURS_AT_HOME}accounts`;
/** How often every instance asks whether anything has changed. */
const LOOK_EVERY_MS = 1000;
/** What was asked for longer ago may have been changed since: one second for the pause, one for a slow answer. */
const FRESH_MS = 2000;
/** Looks that somebody's unknown key asks for are this far apart, however many come. */
const ASKED_EVERY_MS = 100;
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
 * Operators and API keys: kept in the home store, known whole to every instance, so that a request asks nobody. A
 * change is seen by all within two seconds, or they know that they have not looked for longer (`isFresh`). The store
 * never goes back: who knows newer accounts than it has writes them again.
 */
export class AccountBook {
  #accounts = new Accounts("", new Map());
  #sessionsMark: string | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #asked: Promise<void> | undefined;
  #onChanged: () => void = () => undefined;

  private constructor(private readonly home: Home) {}

  /** Reads it, or as soon as the store is there; then looks every second until that is closed. */
  static async open(home: Home): Promise<AccountBook> {
    const book = new AccountBook(home);
    await home.whenThere(() => book.lookSurely());
    book.#schedule();
    return book;
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  /** How long ago (ms) the store was last asked and answered; infinite: never. */
  get ageMs(): number {
    return performance.now() - this.#lookedAt;
  }

  /** Whether what was revoked anywhere two seconds ago is known here. */
  get isFresh(): boolean {
    return this.ageMs < FRESH_MS;
  }

  /** Changes whenever sessions were ended anywhere. */
  get sessionsMark(): string | null {
    return this.#sessionsMark;
  }

  /** Called when accounts or sessions were changed, here or elsewhere. */
  onChanged(listener: () => void): void {
    this.#onChanged = listener;
  }

  /** Tells all instances that sessions were ended. @throws LockkeeperError unavailable, unknown_outcome */
  async markSessions(): Promise<void> {
    const mark = randomBytes(9).toString("base64url");
    await this.home.run((redis) => redis.hset(STORED, "sessions", mark));
    this.#sessionsMark = mark;
    this.#onChanged();
  }

  /** Looks again on behalf of a caller; many who ask at once share one look. Does not fail: see `isFresh`. */
  lookForAll(): Promise<void> {
    this.#asked ??= this.#lookAfterPause().finally(() => {
      this.#asked = undefined;
    });
    return this.#asked;
  }

  /**
   * Changes accounts: decides by what is stored now, as often as somebody else was faster.
   *
   * @throws what `decide` throws; LockkeeperError unavailable, unknown_outcome
   */
  async change<Result>(
    decide: (accounts: Accounts) => { readonly changes: readonly Change[]; readonly result: Result },
  ): Promise<Result> {
    for (let left = TRIES_MAX; left > 0; left--) {
      await this.lookSurely();
      const before = this.#accounts;
      const { changes, result } = decide(before);
      if (changes.length === 0) return result;
      const version = `${numberOf(before.version) + 1}.${randomBytes(9).toString("base64url")}`;
      const pairs = changes.flatMap(([field, json = ""]) => [field, json]);
      const outcome = await this.home.run((redis) =>
        writeScript.run(redis, [STORED], [before.version, version, ...pairs]),
      );
      if (outcome === "written") {
        this.#take(before.with(version, changes));
        return result;
      }
      await sleep(Math.random() * 20);
    }
    throw new UnavailableError("Others change accounts all the time. Nothing was done; try again.");
  }

  #take(accounts: Accounts): void {
    if (numberOf(accounts.version) < numberOf(this.#accounts.version)) return;
    this.#accounts = accounts;
    this.#onChanged();
  }

  /** Runs a task that may be repeated as soon as the store is there. */
  whenThere(task: () => Promise<void>): Promise<void> {
    return this.home.whenThere(task);
  }

  /** @throws LockkeeperError unavailable, unknown_outcome */
  async lookSurely(): Promise<void> {
    await this.home.settle();
    await this.#look((command) => this.home.run(command));
  }

  async #lookAfterPause(): Promise<void> {
    const waitMs = ASKED_EVERY_MS - this.ageMs;
    if (waitMs > 0) await sleep(waitMs);
    await this.#lookOnce();
  }

  #lookOnce(): Promise<void> {
    // A look that failed leaves `lookedAt` as it was.
    this.#looking ??= this.#look((command) => this.home.call(command))
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(call: Home["call"]): Promise<void> {
    const askedAt = performance.now();
    const [version, mark] = await call((redis) => redis.hmget(STORED, "version", "sessions"));
    if (numberOf(version ?? null) < numberOf(this.#accounts.version)) await this.#restore(call);
    else if ((version ?? "") !== this.#accounts.version) await this.#load(call);
    const isMarked = (mark ?? null) !== this.#sessionsMark;
    this.#sessionsMark = mark ?? null;
    if (isMarked) this.#onChanged();
    this.#lookedAt = Math.max(this.#lookedAt, askedAt);
  }

  async #load(call: Home["call"]): Promise<void> {
    const { version = "", sessions: _, ...fields } = await call((redis) => redis.hgetall(STORED));
    this.#take(new Accounts(version, new Map(Object.entries(fields)), this.#accounts));
  }

  // A store that lost its last changes would let in again what was revoked.
  async #restore(call: Home["call"]): Promise<void> {
    const { version, fields } = this.#accounts;
    await call((redis) => restoreScript.run(redis, [STORED], [version, ...[...fields].flat()]));
  }

  #schedule(): void {
    const look = async () => {
      if (this.home.isClosed) return;
      if (!this.home.isAway) await this.#lookOnce();
      this.#schedule();
    };
    setTimeout(() => void look(), LOOK_EVERY_MS).unref();
  }
}

function numberOf(version: string | null): number {
  return Number.parseInt(version ?? "0", 10) || 0;
}
