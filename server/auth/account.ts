import { z } from "zod";
import { Access, Roles } from "../../lib/contract/access.ts";

/** An operator as stored in the home store. */
export const StoredOperator = z.object({
  roles: Roles,
  /** Encoded argon2id hash; `null` if no password is set. */
  password: z.string().nullable(),
  state: z.enum(["enabled", "disabled"]),
  /** Random value that changes with each new password. Sessions that are not valid in the current epoch have ended. */
  epoch: z.string(),
  createdAt: z.number(),
  createdBy: z.string(),
});
export type StoredOperator = Readonly<z.infer<typeof StoredOperator>>;

/** An API key as stored in the home store. */
export const StoredApiKey = z.object({
  name: z.string(),
  verbs: z.array(Access),
  targets: z.array(z.string()),
  keys: z.array(z.string()),
  createdAt: z.number(),
  createdBy: z.string(),
  expiresAt: z.number().nullable(),
  /**
   * Maximum number of live holds. `null` if the server's limit applies, as for keys that were stored before quotas
   * existed.
   */
  holdsMax: z.number().nullable().default(null),
  bytesMax: z.number().nullable().default(null),
  revokedAt: z.number().nullable(),
  rotatedAt: z.number().nullable(),
  /** SHA-256 hash of the secret. */
  hash: z.string(),
  /**
   * The hash of the previous secret, and the time at which it expires, in Unix ms. `null` if the key was never rotated.
   */
  old: z.object({ hash: z.string(), until: z.number() }).nullable(),
});
export type StoredApiKey = Readonly<z.infer<typeof StoredApiKey>>;

const OPERATOR_PREFIX = "operator:";
const API_KEY_PREFIX = "key:";

export const buildOperatorField = (name: string) => OPERATOR_PREFIX + name;
export const buildApiKeyField = (id: string) => API_KEY_PREFIX + id;

/** A snapshot of all accounts. Contains the operators by name and the API keys by id. */
export class Accounts {
  readonly operators = new Map<string, StoredOperator>();
  readonly keys = new Map<string, StoredApiKey>();

  /**
   * @param version an increasing number, followed by a dot and a random string; "" before the first write
   * @param fields the stored fields. Invalid accounts are ignored, because other clients can write to the store
   * @param before the previous snapshot. Unchanged accounts keep their objects from this snapshot
   */
  constructor(
    readonly version: string,
    readonly fields: ReadonlyMap<string, string>,
    before?: Accounts,
  ) {
    for (const [field, json] of fields) {
      const isSame = before?.fields.get(field) === json;
      if (field.startsWith(OPERATOR_PREFIX)) {
        const name = field.slice(OPERATOR_PREFIX.length);
        const operator = (isSame && before.operators.get(name)) || parseStoredAccount(StoredOperator, json);
        if (operator !== undefined) this.operators.set(name, operator);
      } else if (field.startsWith(API_KEY_PREFIX)) {
        const id = field.slice(API_KEY_PREFIX.length);
        const key = (isSame && before.keys.get(id)) || parseStoredAccount(StoredApiKey, json);
        if (key !== undefined) this.keys.set(id, key);
      }
    }
  }

  /** Returns a new snapshot with the changes applied. A change with the value `undefined` deletes the field. */
  applyChanges(version: string, changes: readonly AccountChange[]): Accounts {
    const fields = new Map(this.fields);
    for (const [field, json] of changes) {
      if (json === undefined) fields.delete(field);
      else fields.set(field, json);
    }
    return new Accounts(version, fields, this);
  }
}

export type AccountChange = readonly [field: string, json: string | undefined];

function parseStoredAccount<Shape>(schema: z.ZodType<Shape>, json: string): Shape | undefined {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
