import { timingSafeEqual } from "node:crypto";
import { OURS_AT_HOME } from "../formats/keys.ts";
import type { Home } from "./home.ts";
import type { Principal } from "./principal.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";

const STORED = `${OURS_AT_HOME}root-key`;
const PRINCIPAL: Principal = { kind: "key", name: "key:root", role: "admin" };

/** The admin key that apps begin with: given in the environment, or made once and stored as a hash. */
export class RootKey {
  /** What was found right before: hashing it again would cost each request as much as all its headers. */
  #known: Buffer | undefined;

  private constructor(
    private readonly hash: string,
    /** Only when it was made just now: shown once and never again. */
    readonly made: string | undefined,
  ) {}

  static async open(home: Home, given: string | undefined): Promise<RootKey> {
    if (given !== undefined) return new RootKey(hashOf(given), undefined);
    const made = `lk_${newSecret()}`;
    await home.run((redis) => redis.set(STORED, hashOf(made), "NX"));
    const stored = (await home.run((redis) => redis.get(STORED))) ?? hashOf(made);
    const key = new RootKey(stored, isSame(stored, hashOf(made)) ? made : undefined);
    home.onEmptied(async () => {
      await home.run((redis) => redis.set(STORED, stored, "NX"));
    });
    return key;
  }

  principalOf(secret: string): Principal | undefined {
    const given = Buffer.from(secret);
    if (this.#known?.length === given.length && timingSafeEqual(this.#known, given)) return PRINCIPAL;
    if (!isSame(hashOf(secret), this.hash)) return undefined;
    this.#known = given;
    return PRINCIPAL;
  }
}
