import { z } from "zod";
import { Roles } from "../../lib/contract/access.ts";
import { UnauthenticatedError } from "../errors/request-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import { createSecret, hashSha256 } from "./secret.ts";

const LINK_TTL_MS = 10 * 60 * 1000;

const LoginLink = z.object({ name: z.string(), roles: Roles });
/** The operator whom a login link logs in, and the roles of the session. */
export type LoginLink = z.infer<typeof LoginLink>;

const buildLinkKey = (token: string) => `${HOME_PREFIX}login:${hashSha256(token)}`;

/**
 * One-time login links. Each link is valid for ten minutes and for one login. The home store contains the hash of each
 * token, but not the token itself.
 */
export class LoginLinks {
  constructor(private readonly home: HomeStore) {}

  /** Creates a link and returns its token. @throws LockkeeperError unavailable, unknown_outcome */
  async create(link: LoginLink): Promise<string> {
    const token = createSecret();
    await this.home.run((redis) => redis.set(buildLinkKey(token), JSON.stringify(link), "PX", LINK_TTL_MS));
    return token;
  }

  /**
   * Invalidates a link and returns the operator and roles for its session.
   *
   * @throws LockkeeperError unavailable or unknown_outcome, or unauthenticated if the link was used, has expired or is
   * unknown
   */
  async consume(token: string): Promise<LoginLink> {
    // GETDEL makes the link single-use, because only one of several concurrent requests gets the value. If the reply is
    // lost, the link is used up.
    const found = await this.home.run((redis) => redis.getdel(buildLinkKey(token)));
    const link = found === null ? undefined : parseLink(found);
    if (link !== undefined) return link;
    throw new UnauthenticatedError(
      "This link was used or has expired (after 10 minutes). Run `lockkeeper login`, or `npm run login` in a checkout, to create a new one.",
    );
  }
}

function parseLink(json: string): LoginLink | undefined {
  try {
    return LoginLink.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
