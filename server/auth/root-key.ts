import { timingSafeEqual } from "node:crypto";
import { UnavailableError } from "../errors/redis-errors.ts";
import { HOME_PREFIX } from "../formats/keys.ts";
import type { HomeStore } from "../home/home-store.ts";
import { createRoleGrants } from "./grant.ts";
import type { Principal } from "./principal.ts";
import { createSecret, hashSha256, isEqualSecret } from "./secret.ts";

const ROOT_KEY_HASH_KEY = `${HOME_PREFIX}root-key`;
const ROOT_PRINCIPAL: Principal = {
  kind: "key",
  id: "root",
  name: "key:root",
  grants: createRoleGrants({ "*": "admin" }),
};

/** Receives the secret of a new root key. */
export type RootKeyListener = (created: string) => Promise<void> | void;

/**
 * The root API key. If the environment does not contain a root key, Lockkeeper creates one once and stores its hash in
 * the home store.
 */
export class RootKey {
  /**
   * The secret, cached after its first verification. Hashing the secret of each request would take as long as parsing
   * all of its headers.
   */
  #verifiedSecret: Buffer | undefined;

  /** Hash of the root key. `undefined` until the home store is reached for the first time. */
  #hash: string | undefined;

  private constructor() {}

  /**
   * Returns the root key: `given` if it is set, and otherwise the stored key, which is created if none exists. Without
   * `given`, no root key is valid until the home store is connected for the first time.
   *
   * @param given the key from the environment
   * @param onCreated called with the secret of a new key as soon as its hash is stored, because the secret cannot be
   * retrieved later
   */
  static async open(
    home: HomeStore,
    given: string | undefined,
    onCreated: RootKeyListener = () => undefined,
  ): Promise<RootKey> {
    const key = new RootKey();
    // Created once, because the task is repeated if a reply is lost, and the first secret may have been stored.
    const created = `lk_${createSecret()}`;
    if (given === undefined) await home.whenAvailable(() => key.#loadOrCreate(home, created, onCreated));
    else key.#hash = hashSha256(given);
    return key;
  }

  async #loadOrCreate(home: HomeStore, created: string, onCreated: RootKeyListener): Promise<void> {
    await home.run((redis) => redis.set(ROOT_KEY_HASH_KEY, hashSha256(created), "NX"));
    const stored = (await home.run((redis) => redis.get(ROOT_KEY_HASH_KEY))) ?? hashSha256(created);
    this.#hash = stored;
    if (isEqualSecret(stored, hashSha256(created))) await onCreated(created);
    home.onEmptied(async () => {
      await home.run((redis) => redis.set(ROOT_KEY_HASH_KEY, stored, "NX"));
    });
  }

  /**
   * Returns the root principal, or `undefined` if the secret is not the root key.
   *
   * @throws LockkeeperError unavailable until the stored key has been read
   */
  authenticate(secret: string): Principal | undefined {
    if (this.#hash === undefined) {
      throw new UnavailableError(
        "The home store, which has the API key, has not been reached yet. Nothing was done. Retry later, or set LOCKKEEPER_ROOT_KEY.",
      );
    }
    const given = Buffer.from(secret);
    if (this.#verifiedSecret?.length === given.length && timingSafeEqual(this.#verifiedSecret, given))
      return ROOT_PRINCIPAL;
    if (!isEqualSecret(hashSha256(secret), this.#hash)) return undefined;
    this.#verifiedSecret = given;
    return ROOT_PRINCIPAL;
  }
}
