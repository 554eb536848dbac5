import { timingSafeEqual } from "node:crypto";
import type { Access } from "../../lib/contract/access.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { UnauthenticatedError } from "../errors/request-errors.ts";
import { buildApiKeyField, type StoredApiKey } from "./account.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { createKeyGrants } from "./grant.ts";
import type { LastUseTracker } from "./last-use-tracker.ts";
import type { Principal } from "./principal.ts";
import { createSecret, hashSha256, isEqualSecret } from "./secret.ts";

/**
 * Matches the secret of an API key. The secret contains the id of the key, so the key can be found in a map, and
 * secrets of unknown keys need not be hashed.
 */
const SECRET_PATTERN = /^lk_([0-9a-f]{16})_[\w-]{43}$/;
/** Maximum time in ms for which applications can use cached keys for locking while the home store is unreachable. */
const LOCKING_WITHOUT_STORE_MAX_MS = 10 * 60 * 1000;

export function createKeySecret(id: string): string {
  return `lk_${id}_${createSecret()}`;
}

type VerificationResult = Principal | "unknown";

/**
 * The principal and other facts of a key, computed in advance, so that most requests only need to compare the secret.
 */
interface CachedKey {
  /** The account from which this entry was computed. */
  readonly key: StoredApiKey;
  readonly principal: Principal;
  readonly field: string;
  /**
   * The secret, cached after its first verification. Hashing the secret of each request would take as long as parsing
   * all of its headers.
   */
  verifiedSecret: Buffer | undefined;
}

/** Authenticates API keys with the cached accounts, usually without a round trip to the home store. */
export class ApiKeyVerifier {
  readonly #cachedKeys = new Map<string, CachedKey>();

  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
    private readonly lockingWithoutStoreMs = LOCKING_WITHOUT_STORE_MAX_MS,
  ) {}

  /**
   * Authenticates a secret. The result is synchronous if the key is known and the cached accounts are fresh enough for
   * `access`.
   *
   * @returns the principal, or `undefined` if the secret does not have the format of an API key
   * @throws LockkeeperError unauthenticated if the secret is unknown or has expired after a rotation, or if the key has
   * expired or was revoked; unavailable if the accounts cannot be refreshed. If the result is a promise, it rejects
   * with these errors
   */
  authenticate(secret: string, access: Access | "anyone"): Principal | undefined | Promise<Principal> {
    const id = SECRET_PATTERN.exec(secret)?.[1];
    if (id === undefined) return undefined;
    if (this.#isDirectoryTooOld(access)) return this.#authenticateAfterRefresh(id, secret, access);
    const found = this.#verify(id, secret);
    return found === "unknown" ? this.#authenticateAfterRefresh(id, secret, access) : found;
  }

  async #authenticateAfterRefresh(id: string, secret: string, access: Access | "anyone"): Promise<Principal> {
    await this.directory.refreshShared();
    const found = this.#isDirectoryTooOld(access) ? "unknown" : this.#verify(id, secret);
    if (found !== "unknown") return found;
    if (this.directory.isFresh) throw new UnauthenticatedError("The API key is unknown.");
    throw new UnavailableError(
      "The home store, which has the API keys, is unreachable, so this key cannot be verified. Nothing was done. Retry later.",
    );
  }

  // Returns whether the cached accounts are too old for the access. Reads use cached accounts of any age, as they do
  // for sessions.
  #isDirectoryTooOld(access: Access | "anyone"): boolean {
    if (access === "lock") return this.directory.ageMs > this.lockingWithoutStoreMs;
    return (access === "force" || access === "admin") && !this.directory.isFresh;
  }

  #verify(id: string, secret: string): VerificationResult {
    const key = this.directory.accounts.keys.get(id);
    if (key === undefined) return "unknown";
    const known = this.#getCachedKey(id, key);
    if (!isSecretValid(known, secret)) return "unknown";
    const { revokedAt, expiresAt } = key;
    if (revokedAt !== null) {
      throw new UnauthenticatedError(`The API key was revoked at ${formatIsoTime(revokedAt)}.`);
    }
    if (expiresAt !== null && expiresAt <= Date.now()) {
      throw new UnauthenticatedError(`The API key expired at ${formatIsoTime(expiresAt)}. Create a new one.`);
    }
    this.lastUses.recordUse(known.field);
    return known.principal;
  }

  #getCachedKey(id: string, key: StoredApiKey): CachedKey {
    const before = this.#cachedKeys.get(id);
    if (before?.key === key) return before;
    const { name, holdsMax, bytesMax } = key;
    const principal: Principal = {
      ...{ kind: "key", id, name: `key:${name}`, grants: createKeyGrants(key) },
      quota: { holdsMax, bytesMax },
    };
    const known: CachedKey = { key, principal, field: buildApiKeyField(id), verifiedSecret: undefined };
    for (const other of this.#cachedKeys.keys())
      if (!this.directory.accounts.keys.has(other)) this.#cachedKeys.delete(other);
    this.#cachedKeys.set(id, known);
    return known;
  }
}

function isSecretValid(known: CachedKey, secret: string): boolean {
  const { key, verifiedSecret } = known;
  const given = Buffer.from(secret);
  if (verifiedSecret?.length === given.length && timingSafeEqual(verifiedSecret, given)) return true;
  const hash = hashSha256(secret);
  if (isEqualSecret(hash, key.hash)) {
    known.verifiedSecret = given;
    return true;
  }
  if (key.old === null || !isEqualSecret(hash, key.old.hash)) return false;
  if (key.old.until > Date.now()) return true;
  throw new UnauthenticatedError(
    `The API key was rotated, and this secret expired at ${formatIsoTime(key.old.until)}. Use the new secret.`,
  );
}

const formatIsoTime = (ms: number) => new Date(ms).toISOString();
