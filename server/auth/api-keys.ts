import { randomBytes } from "node:crypto";
import type { ApiKey, ApiKeyInput, ApiKeyMade } from "../../lib/contract/accounts/api-key.ts";
import { API_KEYS_MAX, ENDED_KEY_KEPT_MS } from "../../lib/contract/limits.ts";
import { ForbiddenError, InvalidError, NotFoundError } from "../errors/request-errors.ts";
import { type Accounts, type Change, fieldOfKey, type StoredKey } from "./account.ts";
import type { AccountBook } from "./account-directory.ts";
import { newKeySecret } from "./api-key-verifier.ts";
import { assertMayHandOut } from "./delegation.ts";
import type { AccountUses } from "./last-use-tracker.ts";
import type { Principal } from "./principal.ts";
import { hashOf } from "./secret.ts";

/** Making, rotating and revoking API keys. All reject with unavailable and unknown_outcome when the store is away. */
export class ApiKeys {
  constructor(
    private readonly book: AccountBook,
    private readonly uses: AccountUses,
  ) {}

  async list(): Promise<ApiKey[]> {
    const usedAt = await this.uses.all();
    return [...this.book.accounts.keys]
      .map(([id, key]) => shown(id, key, usedAt(fieldOfKey(id))))
      .sort((a, b) => a.name.localeCompare(b.name) || b.createdAt - a.createdAt);
  }

  /** @throws LockkeeperError not_found */
  async one(id: string): Promise<ApiKey> {
    const usedAt = await this.uses.all();
    return shown(id, keyOf(this.book.accounts, id), usedAt(fieldOfKey(id)));
  }

  /** @throws LockkeeperError invalid, forbidden: more than its maker has */
  async make(input: ApiKeyInput, by: Principal): Promise<ApiKeyMade> {
    const id = randomBytes(8).toString("hex");
    const secret = newKeySecret(id);
    const now = Date.now();
    const key: StoredKey = {
      ...input,
      verbs: [...new Set(input.verbs)],
      createdAt: now,
      createdBy: by.name,
      revokedAt: null,
      rotatedAt: null,
      hash: hashOf(secret),
      old: null,
    };
    const gone = await this.book.change((accounts) => {
      assertMayHandOut(by, [key]);
      assertExpiry(input.expiresAt, by, accounts);
      assertName(input.name, accounts);
      const ended = longEnded(accounts);
      if (accounts.keys.size - ended.length >= API_KEYS_MAX) {
        throw new InvalidError(`There are ${API_KEYS_MAX} API keys, which is as many as may be.`, {});
      }
      return { changes: [...ended.map(removed), written(id, key)], result: ended };
    });
    // The secret is shown once: nothing may fail from here on.
    await this.uses.forget(gone.map(fieldOfKey)).catch(() => undefined);
    return { ...shown(id, key, null), secret };
  }

  /**
   * @param overlapMs for how long the present secret works beside the new one
   * @throws LockkeeperError not_found, invalid: it has ended, forbidden: its secret would give more than its reader has
   */
  async rotate(id: string, overlapMs: number, by: Principal): Promise<ApiKeyMade> {
    const usedAt = await this.uses.all();
    const secret = newKeySecret(id);
    const key = await this.book.change((accounts) => {
      const before = keyOf(accounts, id);
      const now = Date.now();
      const state = stateOf(before, now);
      if (state !== "active") throw new InvalidError(`This key is ${state}; make a new one.`, {});
      assertMayHandOut(by, [before]);
      assertExpiry(before.expiresAt, by, accounts);
      const old = { hash: before.hash, until: now + overlapMs };
      const after: StoredKey = { ...before, hash: hashOf(secret), old, rotatedAt: now };
      return { changes: [written(id, after)], result: after };
    });
    return { ...shown(id, key, usedAt(fieldOfKey(id))), secret };
  }

  /** From now on it is refused everywhere, within two seconds. @throws LockkeeperError not_found */
  async revoke(id: string): Promise<void> {
    await this.book.change((accounts) => {
      const key = keyOf(accounts, id);
      if (key.revokedAt !== null) return { changes: [], result: undefined };
      return { changes: [written(id, { ...key, revokedAt: Date.now() })], result: undefined };
    });
  }
}

function keyOf(accounts: Accounts, id: string): StoredKey {
  const key = accounts.keys.get(id);
  if (key === undefined) throw new NotFoundError("There is no API key with this id; GET /keys lists them.");
  return key;
}

const written = (id: string, key: StoredKey): Change => [fieldOfKey(id), JSON.stringify(key)];
const removed = (id: string): Change => [fieldOfKey(id), undefined];

/** Events and the audit tell keys apart by their names. */
function assertName(name: string, { keys }: Accounts): void {
  const now = Date.now();
  const isTaken = [...keys.values()].some((key) => key.name === name && stateOf(key, now) === "active");
  if (!isTaken && name !== "root") return;
  throw new InvalidError(`name: there is an API key ${JSON.stringify(name)} already; choose another name.`, {
    field: "name",
  });
}

/** A key that ends makes none that outlive it. */
function assertExpiry(expiresAt: number | null, by: Principal, { keys }: Accounts): void {
  const field = { field: "expiresAt" };
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw new InvalidError("expiresAt: it must be in the future, as Unix milliseconds.", field);
  }
  const own = by.kind === "key" ? (keys.get(by.id)?.expiresAt ?? null) : null;
  if (own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw new ForbiddenError(
    `${by.name} ends at ${new Date(own).toISOString()}, and so must what it makes: give an expiresAt of ${own} at most.`,
  );
}

function longEnded({ keys }: Accounts): string[] {
  const edge = Date.now() - ENDED_KEY_KEPT_MS;
  return [...keys].flatMap(([id, { revokedAt, expiresAt }]) =>
    (revokedAt ?? Number.POSITIVE_INFINITY) < edge || (expiresAt ?? Number.POSITIVE_INFINITY) < edge
      ? [id]
      : [],
  );
}

function stateOf({ revokedAt, expiresAt }: StoredKey, now: number): ApiKey["state"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

function shown(id: string, key: StoredKey, lastUsedAt: number | null): ApiKey {
  const now = Date.now();
  const { name, verbs, targets, keys, createdAt, createdBy, expiresAt, revokedAt, rotatedAt, old } = key;
  const oldSecretUntil = old !== null && old.until > now ? old.until : null;
  const facts = { createdAt, createdBy, expiresAt, revokedAt, rotatedAt, oldSecretUntil, lastUsedAt };
  return { id, name, verbs, targets, keys, state: stateOf(key, now), ...facts };
}
