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

/** The id stands in the secret, so that one look finds the key and a stranger's costs no hash. */
const SECRET_PATTERN = /^lk_([0-9a-f]{16})_[\w-]{43}$/;
/** While the home store is away apps go on locking with keys that are known, for so long. */
const LOCKING_WITHOUT_STORE_MAX_MS = 10 * 60 * 1000;

export function createKeySecret(id: string): string {
  return `lk_${id}_${createSecret()}`;
}

type VerificationResult = Principal | "unknown";

/** What a request needs of a key, so that most of them do no more than compare. */
interface CachedKey {
  /** As the book had it when this was made. */
  readonly key: StoredApiKey;
  readonly principal: Principal;
  readonly field: string;
  /** The secret that was found right: hashing it again would cost a request as much as all its headers. */
  verifiedSecret: Buffer | undefined;
}

/** Tells whose an API key is: from what the book has in memory, so that a request asks nobody. */
export class ApiKeyVerifier {
  readonly #cachedKeys = new Map<string, CachedKey>();

  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
    private readonly lockingWithoutStoreMs = LOCKING_WITHOUT_STORE_MAX_MS,
  ) {}

  /**
   * At once when the key is known and the book is fresh enough for what is asked.
   *
   * @returns undefined: it is none of these keys
   * @throws LockkeeperError unauthenticated (wrong, expired, revoked, replaced), unavailable; or rejects with it
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
    if (this.directory.isFresh) throw new UnauthenticatedError("This API key is not known here.");
    throw new UnavailableError(
      "The store that keeps API keys cannot be reached, so it cannot be told whether this one may do this. Nothing was done; try again.",
    );
  }

  // Looking is allowed with what was known last, as it is to sessions.
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
      throw new UnauthenticatedError(`This API key was revoked at ${formatIsoTime(revokedAt)}.`);
    }
    if (expiresAt !== null && expiresAt <= Date.now()) {
      throw new UnauthenticatedError(
        `This API key expired at ${formatIsoTime(expiresAt)}. Ask for a new one.`,
      );
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
    `This secret of the API key was replaced, and ended at ${formatIsoTime(key.old.until)}. Use the new one.`,
  );
}

const formatIsoTime = (ms: number) => new Date(ms).toISOString();
