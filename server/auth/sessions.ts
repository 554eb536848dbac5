import { randomBytes } from "node:crypto";
import type { BrowserSession } from "../../lib/contract/accounts/session.ts";
import { NotFoundError } from "../errors/request-errors.ts";
import type { Home } from "../home/home-store.ts";
import type { StoredOperator } from "./account.ts";
import type { AccountBook } from "./account-directory.ts";
import type { Link } from "./login-link.ts";
import { hashOf, newSecret } from "./secret.ts";
import type { FoundSession, From } from "./session.ts";
import { SessionStore, type StoredSession } from "./session-store.ts";

/** How long a session that was found may be believed without asking again, for reading only. */
const BELIEVED_MS = 2000;
/** Open pages ask every five seconds. */
const RESTORED_MS = 10_000;
/** How exactly it is known when a session was last used. */
const SEEN_EVERY_MS = 60_000;
const USER_AGENT_CHARACTERS_MAX = 200;

export interface SessionLimits {
  /** It ends so long after it was begun, */
  readonly longestMs: number;
  /** or so long after it was last used. */
  readonly idleMs: number;
}

export interface Begun {
  /** For the cookie, and nobody else. */
  readonly secret: string;
  readonly session: FoundSession;
}

interface Known {
  readonly session: StoredSession;
  readonly checkedAt: number;
  /** Of the book, when it was found. */
  readonly mark: string | null;
}

/**
 * Browser sessions: opaque, revocable, stored as hashes; those that are known stay readable while the store is away. What
 * one that was begun by password may do is what its operator may do now.
 */
export class Sessions {
  readonly #known = new Map<string, Known>();
  /** Under way, for all who ask meanwhile: a change makes each open stream look. */
  readonly #looking = new Map<string, Promise<void>>();
  readonly #store: SessionStore;

  constructor(
    private readonly home: Home,
    private readonly book: AccountBook,
    private readonly limits: SessionLimits,
  ) {
    this.#store = new SessionStore(home, limits.idleMs);
    home.onEmptied((answeredAt) => this.#restore(answeredAt));
  }

  /** By a one-time link: it has the roles of the link, whatever an operator of this name has. */
  beginByLink({ name, roles }: Link, from: From): Promise<Begun> {
    return this.#begin({ name, roles, epochs: [] }, from);
  }

  beginByPassword(name: string, { epoch }: StoredOperator, from: From): Promise<Begun> {
    return this.#begin({ name, roles: null, epochs: [epoch] }, from);
  }

  /**
   * @param purpose `read` believes what was found a moment ago, and what is known while the store is away
   * @throws LockkeeperError unavailable when an action needs the store and it is away
   */
  async find(secret: string, purpose: "read" | "act"): Promise<FoundSession | undefined> {
    const hash = hashOf(secret);
    const known = this.#known.get(hash);
    if (purpose === "read" && known !== undefined && this.#isBelieved(known)) {
      const found = this.#alive(hash);
      // What looks ended may have been changed elsewhere.
      if (found !== undefined || this.home.isAway) return found;
    }
    try {
      await (purpose === "read" ? this.#lookTogether(hash) : this.#look(hash));
      if (purpose === "act" && !this.book.isFresh) await this.book.lookSurely();
    } catch (error) {
      if (purpose === "act" || known === undefined) throw error;
    }
    return this.#alive(hash);
  }

  async logOut(secret: string): Promise<void> {
    await this.#end([hashOf(secret)]);
  }

  /**
   * @param whose an operator's; undefined: all there are
   * @param secret of the session that asks
   */
  async list(whose: string | undefined, secret: string | undefined): Promise<BrowserSession[]> {
    const own = secret === undefined ? undefined : hashOf(secret);
    const all = await this.#store.all();
    return all
      .filter(({ session }) => whose === undefined || session.name === whose)
      .flatMap(({ hash, session }) => {
        const found = this.#found(session);
        if (found === undefined) return [];
        const { roles: _, ...shown } = found;
        const { since, lastSeenAt, address, userAgent } = session;
        return [{ ...shown, since, lastSeenAt, address, userAgent, current: hash === own }];
      })
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.since - a.since);
  }

  /** @param whose an operator's; undefined: anybody's. @throws LockkeeperError not_found */
  async revoke(id: string, whose: string | undefined): Promise<void> {
    const all = await this.#store.all();
    const found = all.find(
      ({ session }) => session.id === id && (whose === undefined || session.name === whose),
    );
    if (found === undefined) {
      throw new NotFoundError("There is no session with this id; GET /browser-sessions lists them.");
    }
    await this.#end([found.hash]);
  }

  /** Ends an operator's sessions. @param but the secret of one that stays */
  async endAllOf(name: string, but: string | undefined, which: "all" | "by_link" = "all"): Promise<void> {
    const kept = but === undefined ? undefined : hashOf(but);
    const all = await this.#store.all();
    const ended = all.filter(
      ({ hash, session }) =>
        session.name === name && hash !== kept && (which === "all" || session.roles !== null),
    );
    await this.#end(ended.map(({ hash }) => hash));
  }

  /** Lets a session go on under a password that is about to be set. */
  async carryOver(secret: string, epoch: string): Promise<void> {
    const hash = hashOf(secret);
    const session = await this.#store.read(hash);
    if (session === undefined || session.roles !== null) return;
    const carried = { ...session, epochs: [...session.epochs.slice(-1), epoch] };
    await this.#store.change(hash, carried);
    this.#remember(hash, carried);
  }

  async #begin(who: Pick<StoredSession, "name" | "roles" | "epochs">, from: From): Promise<Begun> {
    const secret = newSecret();
    const now = Date.now();
    const stored: StoredSession = {
      id: randomBytes(12).toString("base64url"),
      ...who,
      since: now,
      expiresAt: now + this.limits.longestMs,
      lastSeenAt: now,
      address: from.address ?? null,
      userAgent: cut(from.userAgent),
    };
    await this.#store.write(hashOf(secret), stored);
    this.#remember(hashOf(secret), stored);
    const { id, name, expiresAt } = stored;
    const roles = who.roles ?? this.book.accounts.operators.get(name)?.roles ?? {};
    return { secret, session: { id, name, roles, via: viaOf(stored), expiresAt } };
  }

  async #end(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) this.#known.delete(hash);
    if (hashes.length === 0) return;
    await this.#store.remove(hashes);
    await this.book.markSessions();
  }

  #lookTogether(hash: string): Promise<void> {
    // One that was begun before sessions were ended may have seen what is gone by now.
    const name = `${hash} ${this.book.sessionsMark}`;
    const under = this.#looking.get(name);
    if (under !== undefined) return under;
    const look = this.#look(hash).finally(() => this.#looking.delete(name));
    this.#looking.set(name, look);
    return look;
  }

  async #look(hash: string): Promise<void> {
    const mark = this.book.sessionsMark;
    await this.home.settle();
    this.#remember(hash, await this.#store.read(hash), mark);
    this.#see(hash, mark);
  }

  #isBelieved({ checkedAt, mark }: Known): boolean {
    const believedMs = Math.min(BELIEVED_MS, this.limits.idleMs / 4);
    const isFresh = performance.now() - checkedAt < believedMs && mark === this.book.sessionsMark;
    return isFresh || this.home.isAway;
  }

  #alive(hash: string): FoundSession | undefined {
    const session = this.#known.get(hash)?.session;
    return session === undefined ? undefined : this.#found(session);
  }

  #found(stored: StoredSession): FoundSession | undefined {
    const { id, name, expiresAt, epochs } = stored;
    if (expiresAt <= Date.now()) return undefined;
    const via = viaOf(stored);
    if (stored.roles !== null) return { id, name, roles: stored.roles, via, expiresAt };
    const operator = this.book.accounts.operators.get(name);
    if (operator === undefined || operator.state === "disabled" || !epochs.includes(operator.epoch))
      return undefined;
    return { id, name, roles: operator.roles, via, expiresAt };
  }

  #remember(hash: string, session: StoredSession | undefined, mark = this.book.sessionsMark): void {
    if (session === undefined) this.#known.delete(hash);
    else this.#known.set(hash, { session, checkedAt: performance.now(), mark });
    for (const [other, { session: old }] of this.#known)
      if (old.expiresAt <= Date.now()) this.#known.delete(other);
  }

  /** Notes that it was used, once a minute, without anybody waiting for that. */
  #see(hash: string, mark: string | null): void {
    const session = this.#known.get(hash)?.session;
    const now = Date.now();
    if (session === undefined || now - session.lastSeenAt < Math.min(SEEN_EVERY_MS, this.limits.idleMs / 10))
      return;
    const seen = { ...session, lastSeenAt: now };
    this.#remember(hash, seen, mark);
    this.#store.change(hash, seen).catch(() => undefined);
  }

  // A store that lost its data has revoked nobody. Sessions that were last seen long before may have been revoked
  // elsewhere, and stay lost.
  async #restore(answeredAt: number): Promise<void> {
    for (const [hash, { session, checkedAt }] of this.#known) {
      const wasValid = checkedAt > answeredAt - RESTORED_MS && session.expiresAt > Date.now();
      if (wasValid) {
        await this.#store.write(hash, session);
        this.#remember(hash, session);
      }
    }
  }
}

const viaOf = ({ roles }: StoredSession) => (roles === null ? "password" : "link");

function cut(userAgent: string | undefined): string | null {
  return userAgent?.replace(/\p{C}/gu, "").slice(0, USER_AGENT_CHARACTERS_MAX) ?? null;
}
