import { z } from "zod";
import { Access, Roles } from "../../lib/contract/access.ts";

/** An operator as the home store keeps it. */
export const StoredOperator = z.object({
  roles: Roles,
  /** As argon2id writes it; null: none was set. */
  password: z.string().nullable(),
  state: z.enum(["enabled", "disabled"]),
  /** Another one for each password: sessions that were begun under another one have ended. */
  epoch: z.string(),
  createdAt: z.number(),
  createdBy: z.string(),
});
export type StoredOperator = Readonly<z.infer<typeof StoredOperator>>;

/** An API key as the home store keeps it. */
export const StoredApiKey = z.object({
  name: z.string(),
  verbs: z.array(Access),
  targets: z.array(z.string()),
  keys: z.array(z.string()),
  createdAt: z.number(),
  createdBy: z.string(),
  expiresAt: z.number().nullable(),
  /** null: the limit of the server, as for keys that were stored before there were quotas. */
  holdsMax: z.number().nullable().default(null),
  bytesMax: z.number().nullable().default(null),
  revokedAt: z.number().nullable(),
  rotatedAt: z.number().nullable(),
  /** Hash of the secret. */
  hash: z.string(),
  /** The secret before the last rotation, and until when it works. */
  old: z.object({ hash: z.string(), until: z.number() }).nullable(),
});
export type StoredApiKey = Readonly<z.infer<typeof StoredApiKey>>;

const OPERATOR_PREFIX = "operator:";
const API_KEY_PREFIX = "key:";

export const buildOperatorField = (name: string) => OPERATOR_PREFIX + name;
export const buildApiKeyField = (id: string) => API_KEY_PREFIX + id;

/** All operators, by name, and all API keys, by id, at one moment. */
export class Accounts {
  readonly operators = new Map<string, StoredOperator>();
  readonly keys = new Map<string, StoredApiKey>();

  /**
   * @param version a number that rises and a random part; the empty string: nothing was ever written
   * @param fields as they are stored. Anybody may have written there: what does not read as an account is none
   * @param before what was read last: accounts that did not change stay the same objects
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

  /** As it is after changes: each a field and what it holds from now on; undefined: it is gone. */
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
