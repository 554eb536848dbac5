import { randomBytes } from "node:crypto";
import type { BrowserSession } from "../../lib/contract/accounts/session.ts";
import { NotFoundError } from "../errors/request-errors.ts";
import type { HomeStore } from "../home/home-store.ts";
import type { StoredOperator } from "./account.ts";
import type { AccountDirectory } from "./account-directory.ts";
import type { LoginLink } from "./login-link.ts";
import { createSecret, hashSha256 } from "./secret.ts";
import type { ActiveSession, SessionOrigin } from "./session.ts";
import { SessionStore, type StoredSession } from "./session-store.ts";

/** Maximum age in ms at which a cached session is used for reads. */
const CACHE_TTL_MS = 2000;
/**
 * Maximum time in ms between the last check of a cached session and a data loss of the home store. Older sessions are
 * not restored. Open pages send a request every 5 s.
 */
const RESTORE_WINDOW_MS = 10_000;
/** Minimum interval in ms between two updates of `lastSeenAt`. */
const LAST_SEEN_INTERVAL_MS = 60_000;
const USER_AGENT_CHARACTERS_MAX = 200;

export interface SessionLimits {
  /** Maximum lifetime of a session, in ms. */
  readonly longestMs: number;
  /** Maximum idle time of a session, in ms. */
  readonly idleMs: number;
}

export interface NewSession {
  /** The value of the session cookie. */
  readonly secret: string;
  readonly session: ActiveSession;
}

interface CachedSession {
  readonly session: StoredSession;
  readonly checkedAt: number;
  /** The `sessionsRevision` of the account directory when the session was read. */
  readonly revision: string | null;
}

/**
 * The browser sessions. Their secrets are opaque, and the home store contains only the hashes of the secrets. Sessions
 * can be revoked at any time. While the store is unreachable, cached sessions can still be used for reads. A session
 * that was started with a password has the current roles of its operator.
 */
export class Sessions {
  readonly #cachedSessions = new Map<string, CachedSession>();
  /**
   * Refreshes in progress, by session hash and `sessionsRevision`. Concurrent callers share a refresh, because after
   * each change, every open stream refreshes its session.
   */
  readonly #refreshes = new Map<string, Promise<void>>();
  readonly #store: SessionStore;

  constructor(
    private readonly home: HomeStore,
    private readonly directory: AccountDirectory,
    private readonly limits: SessionLimits,
  ) {
    this.#store = new SessionStore(home, limits.idleMs);
    home.onEmptied((lastIntactAt) => this.#restore(lastIntactAt));
  }

  /**
   * Starts a session with the roles of a one-time login link. These roles apply even if an operator with the same name
   * has other roles.
   */
  startFromLink({ name, roles }: LoginLink, from: SessionOrigin): Promise<NewSession> {
    return this.#start({ name, roles, epochs: [] }, from);
  }

  startFromPassword(name: string, { epoch }: StoredOperator, from: SessionOrigin): Promise<NewSession> {
    return this.#start({ name, roles: null, epochs: [epoch] }, from);
  }

  /**
   * Returns the active session with this secret, or `undefined` if there is none.
   *
   * @param purpose with `read`, a cached session is sufficient, even while the store is unreachable
   * @throws LockkeeperError unavailable or unknown_outcome if the store is unreachable, unless `purpose` is `read` and
   * the session is cached
   */
  async find(secret: string, purpose: "read" | "act"): Promise<ActiveSession | undefined> {
    const hash = hashSha256(secret);
    const known = this.#cachedSessions.get(hash);
    if (purpose === "read" && known !== undefined && this.#isCacheValid(known)) {
      const found = this.#getActive(hash);
      // A cached session that has ended is read again, because another instance may have updated the session.
      if (found !== undefined || this.home.isDisconnected) return found;
    }
    try {
      await (purpose === "read" ? this.#refreshShared(hash) : this.#refresh(hash));
      if (purpose === "act" && !this.directory.isFresh) await this.directory.refresh();
    } catch (error) {
      if (purpose === "act" || known === undefined) throw error;
    }
    return this.#getActive(hash);
  }

  async logOut(secret: string): Promise<void> {
    await this.#end([hashSha256(secret)]);
  }

  /**
   * Lists active sessions, most recently used first.
   *
   * @param operatorName the operator whose sessions to list. `undefined` for all operators
   * @param secret the secret of the caller's session, which is marked as `current`
   */
  async list(operatorName: string | undefined, secret: string | undefined): Promise<BrowserSession[]> {
    const own = secret === undefined ? undefined : hashSha256(secret);
    const all = await this.#store.list();
    return all
      .filter(({ session }) => operatorName === undefined || session.name === operatorName)
      .flatMap(({ hash, session }) => {
        const found = this.#toActiveSession(session);
        if (found === undefined) return [];
        const { roles: _, ...shown } = found;
        const { since, lastSeenAt, address, userAgent } = session;
        return [{ ...shown, since, lastSeenAt, address, userAgent, current: hash === own }];
      })
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.since - a.since);
  }

  /**
   * Ends a session.
   *
   * @param operatorName the operator to which the session must belong. `undefined` for any operator
   * @throws LockkeeperError not_found
   */
  async revoke(id: string, operatorName: string | undefined): Promise<void> {
    const all = await this.#store.list();
    const found = all.find(
      ({ session }) => session.id === id && (operatorName === undefined || session.name === operatorName),
    );
    if (found === undefined) {
      throw new NotFoundError("There is no session with this id. GET /browser-sessions lists the ids.");
    }
    await this.#end([found.hash]);
  }

  /**
   * Ends all sessions of an operator, or only the sessions that a link started.
   *
   * @param kept the secret of the session to keep. `undefined` to keep none
   */
  async endAllFor(name: string, kept: string | undefined, which: "all" | "by_link" = "all"): Promise<void> {
    const keptHash = kept === undefined ? undefined : hashSha256(kept);
    const all = await this.#store.list();
    const ended = all.filter(
      ({ hash, session }) =>
        session.name === name && hash !== keptHash && (which === "all" || session.roles !== null),
    );
    await this.#end(ended.map(({ hash }) => hash));
  }

  /**
   * Adds the epoch of a new password to a session, so that the session stays valid when the password changes. Must be
   * called before the password is set. Does nothing if a link started the session, because such a session does not
   * depend on the password.
   */
  async keepAcrossPasswordChange(secret: string, epoch: string): Promise<void> {
    const hash = hashSha256(secret);
    const session = await this.#store.read(hash);
    if (session === undefined || session.roles !== null) return;
    const carried = { ...session, epochs: [...session.epochs.slice(-1), epoch] };
    await this.#store.update(hash, carried);
    this.#cache(hash, carried);
  }

  async #start(
    who: Pick<StoredSession, "name" | "roles" | "epochs">,
    from: SessionOrigin,
  ): Promise<NewSession> {
    const secret = createSecret();
    const now = Date.now();
    const stored: StoredSession = {
      id: randomBytes(12).toString("base64url"),
      ...who,
      since: now,
      expiresAt: now + this.limits.longestMs,
      lastSeenAt: now,
      address: from.address ?? null,
      userAgent: sanitizeUserAgent(from.userAgent),
    };
    await this.#store.write(hashSha256(secret), stored);
    this.#cache(hashSha256(secret), stored);
    const { id, name, expiresAt } = stored;
    const roles = who.roles ?? this.directory.accounts.operators.get(name)?.roles ?? {};
    return { secret, session: { id, name, roles, via: getLoginMethod(stored), expiresAt } };
  }

  async #end(hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) this.#cachedSessions.delete(hash);
    if (hashes.length === 0) return;
    await this.#store.remove(hashes);
    await this.directory.publishSessionsEnded();
  }

  #refreshShared(hash: string): Promise<void> {
    // The name includes the revision, because a refresh that started before sessions were ended may have read a session
    // that has ended since.
    const name = `${hash} ${this.directory.sessionsRevision}`;
    const under = this.#refreshes.get(name);
    if (under !== undefined) return under;
    const refresh = this.#refresh(hash).finally(() => this.#refreshes.delete(name));
    this.#refreshes.set(name, refresh);
    return refresh;
  }

  async #refresh(hash: string): Promise<void> {
    const mark = this.directory.sessionsRevision;
    await this.home.ensureRestored();
    this.#cache(hash, await this.#store.read(hash), mark);
    this.#recordLastSeen(hash, mark);
  }

  #isCacheValid({ checkedAt, revision }: CachedSession): boolean {
    const believedMs = Math.min(CACHE_TTL_MS, this.limits.idleMs / 4);
    const isFresh =
      performance.now() - checkedAt < believedMs && revision === this.directory.sessionsRevision;
    return isFresh || this.home.isDisconnected;
  }

  #getActive(hash: string): ActiveSession | undefined {
    const session = this.#cachedSessions.get(hash)?.session;
    return session === undefined ? undefined : this.#toActiveSession(session);
  }

  #toActiveSession(stored: StoredSession): ActiveSession | undefined {
    const { id, name, expiresAt, epochs } = stored;
    if (expiresAt <= Date.now()) return undefined;
    const via = getLoginMethod(stored);
    if (stored.roles !== null) return { id, name, roles: stored.roles, via, expiresAt };
    const operator = this.directory.accounts.operators.get(name);
    if (operator === undefined || operator.state === "disabled" || !epochs.includes(operator.epoch))
      return undefined;
    return { id, name, roles: operator.roles, via, expiresAt };
  }

  #cache(hash: string, session: StoredSession | undefined, mark = this.directory.sessionsRevision): void {
    if (session === undefined) this.#cachedSessions.delete(hash);
    else this.#cachedSessions.set(hash, { session, checkedAt: performance.now(), revision: mark });
    for (const [other, { session: old }] of this.#cachedSessions)
      if (old.expiresAt <= Date.now()) this.#cachedSessions.delete(other);
  }

  /**
   * Records in the background that a session is in use, but at most once a minute, or once per tenth of the maximum
   * idle time if that is shorter.
   */
  #recordLastSeen(hash: string, mark: string | null): void {
    const session = this.#cachedSessions.get(hash)?.session;
    const now = Date.now();
    if (
      session === undefined ||
      now - session.lastSeenAt < Math.min(LAST_SEEN_INTERVAL_MS, this.limits.idleMs / 10)
    )
      return;
    const seen = { ...session, lastSeenAt: now };
    this.#cache(hash, seen, mark);
    this.#store.update(hash, seen).catch(() => undefined);
  }

  // Writes cached sessions back after the store has lost its data. Sessions that were last checked long before the loss,
  // or before an instance ended sessions, are not restored, because they may have been revoked since.
  async #restore(lastIntactAt: number): Promise<void> {
    await this.directory.refreshSessionsRevision();
    for (const [hash, { session, checkedAt, revision }] of this.#cachedSessions) {
      const isCurrent = revision === this.directory.sessionsRevision;
      const endsAt = Math.min(session.expiresAt, session.lastSeenAt + this.limits.idleMs);
      const wasValid = checkedAt > lastIntactAt - RESTORE_WINDOW_MS && endsAt > Date.now();
      if (isCurrent && wasValid) {
        await this.#store.write(hash, session);
        this.#cache(hash, session);
      }
    }
  }
}

const getLoginMethod = ({ roles }: StoredSession) => (roles === null ? "password" : "link");

function sanitizeUserAgent(userAgent: string | undefined): string | null {
  return userAgent?.replace(/\p{C}/gu, "").slice(0, USER_AGENT_CHARACTERS_MAX) ?? null;
}
