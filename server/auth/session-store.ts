import { z } from "zod";
import { Roles } from "../../lib/contract/access.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";

/** A browser session as stored in the home store, under a key that contains the hash of the session's secret. */
export const StoredSession = z.object({
  id: z.string(),
  name: z.string(),
  /** Roles of a session that was started by a link. `null` if the session has the current roles of its operator. */
  roles: Roles.nullable(),
  /**
   * Password epochs in which the session is valid. If the password is changed in this session, the new epoch is added.
   */
  epochs: z.array(z.string()),
  since: z.number(),
  expiresAt: z.number(),
  lastSeenAt: z.number(),
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
});
export type StoredSession = Readonly<z.infer<typeof StoredSession>>;

/**
 * Sorted set of the hashes of all sessions, with their expiry in Unix ms as the score. Sessions can thus be listed
 * without `SCAN`.
 */
const SESSION_INDEX_KEY = `${HOME_PREFIX}sessions`;
const buildSessionKey = (hash: string) => `${HOME_PREFIX}session:${hash}`;

/**
 * Reads and writes sessions in the home store. All methods reject with `unavailable` or `unknown_outcome` if the store
 * is unreachable.
 */
export class SessionStore {
  /** @param idleMs idle time in ms after which a session expires */
  constructor(
    private readonly home: HomeStore,
    private readonly idleMs: number,
  ) {}

  async read(hash: string): Promise<StoredSession | undefined> {
    return parseSession(await this.home.run((redis) => redis.get(buildSessionKey(hash))));
  }

  /** Writes a new session, or restores a lost one unless another instance has restored it. */
  async write(hash: string, session: StoredSession): Promise<void> {
    await this.home.run((redis) => redis.zadd(SESSION_INDEX_KEY, session.expiresAt, hash));
    const text = JSON.stringify(session);
    const remainingMs = this.#getRemainingMs(session);
    await this.home.run((redis) => redis.set(buildSessionKey(hash), text, "PX", remainingMs, "NX"));
    await this.home.run((redis) => redis.zremrangebyscore(SESSION_INDEX_KEY, "-inf", Date.now()));
  }

  /** Writes a changed session, unless the session has ended. */
  async update(hash: string, session: StoredSession): Promise<void> {
    await this.home.run((redis) =>
      redis.set(buildSessionKey(hash), JSON.stringify(session), "PX", this.#getRemainingMs(session), "XX"),
    );
  }

  async list(): Promise<{ hash: string; session: StoredSession }[]> {
    const hashes = await this.home.run((redis) => redis.zrangebyscore(SESSION_INDEX_KEY, Date.now(), "+inf"));
    if (hashes.length === 0) return [];
    const found = await this.home.run((redis) => redis.mget(...hashes.map(buildSessionKey)));
    return hashes.flatMap((hash, at) => {
      const session = parseSession(found[at] ?? null);
      return session === undefined ? [] : [{ hash, session }];
    });
  }

  async remove(hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    await this.home.run((redis) => redis.del(...hashes.map(buildSessionKey)));
    await this.home.run((redis) => redis.zrem(SESSION_INDEX_KEY, ...hashes));
  }

  #getRemainingMs({ expiresAt, lastSeenAt }: StoredSession): number {
    return Math.max(1, Math.min(lastSeenAt + this.idleMs, expiresAt) - Date.now());
  }
}

function parseSession(json: string | null): StoredSession | undefined {
  try {
    return json === null ? undefined : StoredSession.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
