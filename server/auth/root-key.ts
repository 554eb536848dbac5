import { timingSafeEqual } from "node:crypto";
import { UnavailableError } from "../errors/redis-errors.ts";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "../home/home-store.ts";
import { grantsOfRoles } from "./grant.ts";
import type { Principal } from "./principal.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";

const STORED = `${OURS_AT_HOME}root-key`;
const PRINCIPAL: Principal = {
  kind: "key",
  id: "root",
  name: "key:root",
  grants: grantsOfRoles({ "*": "admin" }),
};

/** The admin key that apps begin with: given in the environment, or made once and stored as a hash. */
export class RootKey {
  /** What was found right before: hashing it again would cost each request as much as all its headers. */
  #known: Buffer | undefined;

  /** undefined while the store that keeps it has not been there yet. */
  #hash: string | undefined;

  /** Only when it was made just now: shown once and never again. */
  made: string | undefined;

  private constructor() {}

  /** @param onMade is told of a key that is made */
  static async open(
    home: Home,
    given: string | undefined,
    onMade: (made: string) => void = () => undefined,
  ): Promise<RootKey> {
    const key = new RootKey();
    if (given === undefined) await home.whenThere(() => key.#findOrMake(home, onMade));
    else key.#hash = hashOf(given);
    return key;
  }

  async #findOrMake(home: Home, onMade: (made: string) => void): Promise<void> {
    const made = `lk_${newSecret()}`;
    await home.run((redis) => redis.set(STORED, hashOf(made), "NX"));
    const stored = (await home.run((redis) => redis.get(STORED))) ?? hashOf(made);
    this.#hash = stored;
    if (isSame(stored, hashOf(made))) {
      this.made = made;
      onMade(made);
    }
    home.onEmptied(async () => {
      await home.run((redis) => redis.set(STORED, stored, "NX"));
    });
  }

  /** @throws LockkeeperError unavailable while the key is not known yet */
  principalOf(secret: string): Principal | undefined {
    if (this.#hash === undefined) {
      throw new UnavailableError(
        "The store that keeps the API key has not been reached yet. Nothing was done; try again, or set LOCKKEEPER_ROOT_KEY.",
      );
    }
    const given = Buffer.from(secret);
    if (this.#known?.length === given.length && timingSafeEqual(this.#known, given)) return PRINCIPAL;
    if (!isSame(hashOf(secret), this.#hash)) return undefined;
    this.#known = given;
    return PRINCIPAL;
  }
}
