import { z } from "zod";
import { Session } from "../../lib/contract/session.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import { UnauthenticatedError } from "../locks/errors.ts";
import type { Home } from "./home.ts";
import { hashOf, newSecret } from "./secret.ts";

const LINK_MS = 10 * 60 * 1000;
const SESSION_MS = 12 * 60 * 60 * 1000;
/** How long a session that was found may be believed without asking again, for reading only. */
const BELIEVED_MS = 2000;
/** Open pages ask every five seconds. */
const RESTORED_MS = 10_000;

const Link = z.object({ name: z.string(), roles: Session.shape.roles });
type Link = z.infer<typeof Link>;

const linkKeyOf = (hash: string) => `${OURS_AT_HOME}login:${hash}`;
const sessionKeyOf = (hash: string) => `${OURS_AT_HOME}session:${hash}`;

/** Makes a one-time link's token: ten minutes, single use, stored as a hash. */
export async function makeLink(home: Home, link: Link): Promise<string> {
  const token = newSecret();
  await home.run((redis) => redis.set(linkKeyOf(hashOf(token)), JSON.stringify(link), "PX", LINK_MS));
  return token;
}

/** Browser sessions: opaque, revocable, stored as hashes; those that are known stay readable while the store is away. */
export class Sessions {
  readonly #known = new Map<string, { session: Session; checkedAt: number }>();

  constructor(private readonly home: Home) {
    home.onEmptied((answeredAt) => this.#restore(answeredAt));
  }

  /** @throws LockkeeperError unauthenticated when the link was used, ran out or never was */
  async logIn(token: string): Promise<{ secret: string; session: Session }> {
    // GETDEL is the single use: of two who come at once only one gets the link. A reply that was lost has used it up.
    const found = await this.home.run((redis) => redis.getdel(linkKeyOf(hashOf(token))));
    const link = found === null ? undefined : parsed(Link, found);
    if (link === undefined) {
      throw new UnauthenticatedError(
        "This link was used or has run out (after 10 minutes). Run `npm run login` for a new one.",
      );
    }
    const secret = newSecret();
    const session = { ...link, expiresAt: Date.now() + SESSION_MS };
    await this.#write(hashOf(secret), session);
    return { secret, session };
  }

  /**
   * @param purpose `read` believes what was found a moment ago, and what is known while the store is away
   * @throws LockkeeperError unavailable when an action needs the store and it is away
   */
  async find(secret: string, purpose: "read" | "act"): Promise<Session | undefined> {
    const hash = hashOf(secret);
    const known = this.#known.get(hash);
    const isFresh = known !== undefined && performance.now() - known.checkedAt < BELIEVED_MS;
    const isBelieved = isFresh || (known !== undefined && this.home.isAway);
    if (purpose === "read" && isBelieved) return this.#alive(hash);
    try {
      await this.home.settle();
      const found = await this.home.run((redis) => redis.get(sessionKeyOf(hash)));
      this.#remember(hash, found === null ? undefined : parsed(Session, found));
    } catch (error) {
      if (purpose === "act" || known === undefined) throw error;
    }
    return this.#alive(hash);
  }

  async logOut(secret: string): Promise<void> {
    const hash = hashOf(secret);
    this.#known.delete(hash);
    await this.home.run((redis) => redis.del(sessionKeyOf(hash)));
  }

  #alive(hash: string): Session | undefined {
    const session = this.#known.get(hash)?.session;
    return session !== undefined && session.expiresAt > Date.now() ? session : undefined;
  }

  #remember(hash: string, session: Session | undefined): void {
    if (session === undefined) this.#known.delete(hash);
    else this.#known.set(hash, { session, checkedAt: performance.now() });
    for (const [other, { session: old }] of this.#known)
      if (old.expiresAt <= Date.now()) this.#known.delete(other);
  }

  async #write(hash: string, session: Session): Promise<void> {
    const leftMs = Math.max(1, session.expiresAt - Date.now());
    await this.home.run((redis) => redis.set(sessionKeyOf(hash), JSON.stringify(session), "PX", leftMs));
    this.#remember(hash, session);
  }

  // A store that lost its data has revoked nobody. Sessions that were last seen long before may have been revoked
  // elsewhere, and stay lost.
  async #restore(answeredAt: number): Promise<void> {
    for (const [hash, { session, checkedAt }] of this.#known) {
      const wasValid = checkedAt > answeredAt - RESTORED_MS && session.expiresAt > Date.now();
      if (wasValid) await this.#write(hash, session);
    }
  }
}

function parsed<Shape>(schema: z.ZodType<Shape>, json: string): Shape | undefined {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
