import { timingSafeEqual } from "node:crypto";
import type { Access } from "../../lib/contract/access.ts";
import { UnavailableError } from "../errors/redis-errors.ts";
import { UnauthenticatedError } from "../errors/request-errors.ts";
import { fieldOfKey, type StoredKey } from "./account.ts";
import type { AccountBook } from "./account-directory.ts";
import { grantsOfKey } from "./grant.ts";
import type { AccountUses } from "./last-use-tracker.ts";
import type { Principal } from "./principal.ts";
import { hashOf, isSame, newSecret } from "./secret.ts";

/** The id stands in the secret, so that one look finds the key and a stranger's costs no hash. */
const SHAPE = /^lk_([0-9a-f]{16})_[\w-]{43}$/;
/** While the home store is away apps go on locking with keys that are known, for so long. */
const LOCKING_WITHOUT_STORE_MS = 10 * 60 * 1000;

export function newKeySecret(id: string): string {
  return `lk_${id}_${newSecret()}`;
}

type Judged = Principal | "unknown";

/** What a request needs of a key, so that most of them do no more than compare. */
interface Known {
  /** As the book had it when this was made. */
  readonly key: StoredKey;
  readonly principal: Principal;
  readonly field: string;
  /** The secret that was found right: hashing it again would cost a request as much as all its headers. */
  right: Buffer | undefined;
}

/** Tells whose an API key is: from what the book has in memory, so that a request asks nobody. */
export class KeyRing {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly book: AccountBook,
    private readonly uses: AccountUses,
    private readonly lockingWithoutStoreMs = LOCKING_WITHOUT_STORE_MS,
  ) {}

  /**
   * At once when the key is known and the book is fresh enough for what is asked.
   *
   * @returns undefined: it is none of these keys
   * @throws LockkeeperError unauthenticated (wrong, expired, revoked, replaced), unavailable; or rejects with it
   */
  principalOf(secret: string, access: Access | "anyone"): Principal | undefined | Promise<Principal> {
    const id = SHAPE.exec(secret)?.[1];
    if (id === undefined) return undefined;
    if (this.#isTooOld(access)) return this.#afterLook(id, secret, access);
    const found = this.#judge(id, secret);
    return found === "unknown" ? this.#afterLook(id, secret, access) : found;
  }

  async #afterLook(id: string, secret: string, access: Access | "anyone"): Promise<Principal> {
    await this.book.lookForAll();
    const found = this.#isTooOld(access) ? "unknown" : this.#judge(id, secret);
    if (found !== "unknown") return found;
    if (this.book.isFresh) throw new UnauthenticatedError("This API key is not known here.");
    throw new UnavailableError(
      "The store that keeps API keys cannot be reached, so it cannot be told whether this one may do this. Nothing was done; try again.",
    );
  }

  // Looking is allowed with what was known last, as it is to sessions.
  #isTooOld(access: Access | "anyone"): boolean {
    if (access === "lock") return this.book.ageMs > this.lockingWithoutStoreMs;
    return (access === "force" || access === "admin") && !this.book.isFresh;
  }

  #judge(id: string, secret: string): Judged {
    const key = this.book.accounts.keys.get(id);
    if (key === undefined) return "unknown";
    const known = this.#knownOf(id, key);
    if (!isRight(known, secret)) return "unknown";
    const { revokedAt, expiresAt } = key;
    if (revokedAt !== null) {
      throw new UnauthenticatedError(`This API key was revoked at ${iso(revokedAt)}.`);
    }
    if (expiresAt !== null && expiresAt <= Date.now()) {
      throw new UnauthenticatedError(`This API key expired at ${iso(expiresAt)}. Ask for a new one.`);
    }
    this.uses.touch(known.field);
    return known.principal;
  }

  #knownOf(id: string, key: StoredKey): Known {
    const before = this.#known.get(id);
    if (before?.key === key) return before;
    const principal: Principal = { kind: "key", id, name: `key:${key.name}`, grants: grantsOfKey(key) };
    const known: Known = { key, principal, field: fieldOfKey(id), right: undefined };
    for (const other of this.#known.keys())
      if (!this.book.accounts.keys.has(other)) this.#known.delete(other);
    this.#known.set(id, known);
    return known;
  }
}

function isRight(known: Known, secret: string): boolean {
  const { key, right } = known;
  const given = Buffer.from(secret);
  if (right?.length === given.length && timingSafeEqual(right, given)) return true;
  const hash = hashOf(secret);
  if (isSame(hash, key.hash)) {
    known.right = given;
    return true;
  }
  if (key.old === null || !isSame(hash, key.old.hash)) return false;
  if (key.old.until > Date.now()) return true;
  throw new UnauthenticatedError(
    `This secret of the API key was replaced, and ended at ${iso(key.old.until)}. Use the new one.`,
  );
}

const iso = (ms: number) => new Date(ms).toISOString();
