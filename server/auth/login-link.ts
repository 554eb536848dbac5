import { z } from "zod";
import { Roles } from "../../lib/contract/access.ts";
import { UnauthenticatedError } from "../errors/request-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import { hashOf, newSecret } from "./secret.ts";

const LINK_MS = 10 * 60 * 1000;

const Link = z.object({ name: z.string(), roles: Roles });
/** Whom it logs in, and as what. */
export type Link = z.infer<typeof Link>;

const keyOf = (token: string) => `${OURS_AT_HOME}login:${hashOf(token)}`;

/** One-time links: ten minutes, single use, stored as a hash. */
export class LoginLinks {
  constructor(private readonly home: Home) {}

  /** @returns the token. @throws LockkeeperError unavailable, unknown_outcome */
  async make(link: Link): Promise<string> {
    const token = newSecret();
    await this.home.run((redis) => redis.set(keyOf(token), JSON.stringify(link), "PX", LINK_MS));
    return token;
  }

  /** @throws LockkeeperError unauthenticated when it was used, ran out or never was */
  async take(token: string): Promise<Link> {
    // GETDEL is the single use: of two who come at once only one gets the link. A reply that was lost has used it up.
    const found = await this.home.run((redis) => redis.getdel(keyOf(token)));
    const link = found === null ? undefined : linkIn(found);
    if (link !== undefined) return link;
    throw new UnauthenticatedError(
      "This link was used or has run out (after 10 minutes). Run `npm run login` for a new one.",
    );
  }
}

function linkIn(json: string): Link | undefined {
  try {
    return Link.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
