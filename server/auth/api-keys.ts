import { randomBytes } from "node:crypto";
import type {
  ApiKey,
  ApiKeyInput,
  ApiKeyQuotaInput,
  CreatedApiKey,
} from "../../lib/contract/accounts/api-key.ts";
import { API_KEYS_MAX, ENDED_KEY_KEPT_MS } from "../../lib/contract/limits.ts";
import {
  AlreadyExistsError,
  ApiKeyInactiveError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
} from "../errors/request-errors.ts";
import { type AccountChange, type Accounts, buildApiKeyField, type StoredApiKey } from "./account.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { createKeySecret } from "./api-key-verifier.ts";
import { assertCanDelegate } from "./delegation.ts";
import type { LastUseTracker } from "./last-use-tracker.ts";
import type { Principal } from "./principal.ts";
import { hashSha256 } from "./secret.ts";

/** An API key without its current usage. */
export type KnownApiKey = Omit<ApiKey, "usage">;

/**
 * Lists, creates, changes, rotates and revokes API keys. All methods reject with `unavailable` or `unknown_outcome` if
 * the home store is unreachable.
 */
export class ApiKeys {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly lastUses: LastUseTracker,
  ) {}

  async list(): Promise<KnownApiKey[]> {
    const usedAt = await this.lastUses.readAll();
    return [...this.directory.accounts.keys]
      .map(([id, key]) => toApiKey(id, key, usedAt(buildApiKeyField(id))))
      .sort((a, b) => a.name.localeCompare(b.name) || b.createdAt - a.createdAt);
  }

  /** Returns the API key with this id. @throws LockkeeperError not_found */
  async get(id: string): Promise<KnownApiKey> {
    const usedAt = await this.lastUses.readAll();
    return toApiKey(id, getStoredKey(this.directory.accounts, id), usedAt(buildApiKeyField(id)));
  }

  /**
   * Creates an API key. Returns the key and its secret, which cannot be retrieved later.
   *
   * @throws LockkeeperError invalid or already_exists, or forbidden if the key would have more access or expire later
   * than its creator
   */
  async create(input: ApiKeyInput, by: Principal): Promise<KnownApiKey & Pick<CreatedApiKey, "secret">> {
    const id = randomBytes(8).toString("hex");
    const secret = createKeySecret(id);
    const now = Date.now();
    const key: StoredApiKey = {
      ...input,
      verbs: [...new Set(input.verbs)],
      createdAt: now,
      createdBy: by.name,
      revokedAt: null,
      rotatedAt: null,
      hash: hashSha256(secret),
      old: null,
    };
    const gone = await this.directory.update((accounts) => {
      assertCanDelegate(by, [key]);
      assertExpiry(input.expiresAt, by, accounts);
      assertNameAvailable(input.name, accounts);
      const ended = findLongEndedKeys(accounts);
      if (accounts.keys.size - ended.length >= API_KEYS_MAX) {
        throw new InvalidError(
          `The limit of ${API_KEYS_MAX} API keys has been reached. Revoked keys count for 30 days.`,
          {},
        );
      }
      return { changes: [...ended.map(toRemoveChange), toWriteChange(id, key)], result: ended };
    });
    // Errors are ignored, because the new key has already been stored and its secret is returned only once.
    await this.lastUses.forget(gone.map(buildApiKeyField)).catch(() => undefined);
    return { ...toApiKey(id, key, null), secret };
  }

  /**
   * Replaces the secret of a key. Returns the key and its new secret, which cannot be retrieved later.
   *
   * @param overlapMs time in ms for which the current secret stays valid
   * @throws LockkeeperError not_found or api_key_inactive, or forbidden if the key has more access or expires later
   * than the caller
   */
  async rotate(
    id: string,
    overlapMs: number,
    by: Principal,
  ): Promise<KnownApiKey & Pick<CreatedApiKey, "secret">> {
    const usedAt = await this.lastUses.readAll();
    const secret = createKeySecret(id);
    const key = await this.directory.update((accounts) => {
      const before = getActiveKey(accounts, id);
      const now = Date.now();
      assertCanDelegate(by, [before]);
      assertExpiry(before.expiresAt, by, accounts);
      const old = { hash: before.hash, until: now + overlapMs };
      const after: StoredApiKey = { ...before, hash: hashSha256(secret), old, rotatedAt: now };
      return { changes: [toWriteChange(id, after)], result: after };
    });
    return { ...toApiKey(id, key, usedAt(buildApiKeyField(id))), secret };
  }

  /**
   * Changes the quotas that `quota` contains. Other quotas stay unchanged.
   *
   * @throws LockkeeperError not_found, api_key_inactive
   */
  async setQuota(id: string, quota: ApiKeyQuotaInput): Promise<KnownApiKey> {
    const usedAt = await this.lastUses.readAll();
    const key = await this.directory.update((accounts) => {
      const before = getActiveKey(accounts, id);
      const { holdsMax = before.holdsMax, bytesMax = before.bytesMax } = quota;
      const after: StoredApiKey = { ...before, holdsMax, bytesMax };
      return { changes: [toWriteChange(id, after)], result: after };
    });
    return toApiKey(id, key, usedAt(buildApiKeyField(id)));
  }

  /**
   * Revokes an API key. All instances that can reach the home store refuse the key within two seconds.
   *
   * @throws LockkeeperError not_found
   */
  async revoke(id: string): Promise<void> {
    await this.directory.update((accounts) => {
      const key = getStoredKey(accounts, id);
      if (key.revokedAt !== null) return { changes: [], result: undefined };
      return { changes: [toWriteChange(id, { ...key, revokedAt: Date.now() })], result: undefined };
    });
  }
}

function getStoredKey(accounts: Accounts, id: string): StoredApiKey {
  const key = accounts.keys.get(id);
  if (key === undefined)
    throw new NotFoundError("There is no API key with this id. GET /keys lists the ids.");
  return key;
}

function getActiveKey(accounts: Accounts, id: string): StoredApiKey {
  const key = getStoredKey(accounts, id);
  const state = getKeyState(key, Date.now());
  if (state === "active") return key;
  throw new ApiKeyInactiveError(`The API key is ${state}. Create a new one.`, { state });
}

const toWriteChange = (id: string, key: StoredApiKey): AccountChange => [
  buildApiKeyField(id),
  JSON.stringify(key),
];
const toRemoveChange = (id: string): AccountChange => [buildApiKeyField(id), undefined];

/**
 * Asserts that no other active key has the name. Names must be unique, because events and the audit log identify keys
 * by name.
 */
function assertNameAvailable(name: string, { keys }: Accounts): void {
  const now = Date.now();
  const isTaken = [...keys.values()].some((key) => key.name === name && getKeyState(key, now) === "active");
  if (!isTaken && name !== "root") return;
  throw new AlreadyExistsError(
    `name: an API key named ${JSON.stringify(name)} already exists. Choose another name.`,
    {
      field: "name",
    },
  );
}

/**
 * Asserts that `expiresAt` is in the future. If the caller is an API key that expires, `expiresAt` must not be later
 * than its expiry.
 */
function assertExpiry(expiresAt: number | null, by: Principal, { keys }: Accounts): void {
  const field = { field: "expiresAt" };
  if (expiresAt !== null && expiresAt <= Date.now()) {
    throw new InvalidError("expiresAt: must be in the future, in Unix milliseconds.", field);
  }
  const own = by.kind === "key" ? (keys.get(by.id)?.expiresAt ?? null) : null;
  if (own === null || (expiresAt !== null && expiresAt <= own)) return;
  throw new ForbiddenError(
    `${by.name} expires at ${new Date(own).toISOString()} and cannot create keys that expire later. Send an expiresAt of at most ${own}.`,
  );
}

function findLongEndedKeys({ keys }: Accounts): string[] {
  const edge = Date.now() - ENDED_KEY_KEPT_MS;
  return [...keys].flatMap(([id, { revokedAt, expiresAt }]) =>
    (revokedAt ?? Number.POSITIVE_INFINITY) < edge || (expiresAt ?? Number.POSITIVE_INFINITY) < edge
      ? [id]
      : [],
  );
}

function getKeyState({ revokedAt, expiresAt }: StoredApiKey, now: number): ApiKey["state"] {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

function toApiKey(id: string, key: StoredApiKey, lastUsedAt: number | null): KnownApiKey {
  const now = Date.now();
  const {
    name,
    verbs,
    targets,
    keys,
    holdsMax,
    bytesMax,
    createdAt,
    createdBy,
    expiresAt,
    revokedAt,
    rotatedAt,
    old,
  } = key;
  const oldSecretUntil = old !== null && old.until > now ? old.until : null;
  const facts = { createdAt, createdBy, expiresAt, revokedAt, rotatedAt, oldSecretUntil, lastUsedAt };
  return { id, name, verbs, targets, keys, holdsMax, bytesMax, state: getKeyState(key, now), ...facts };
}
