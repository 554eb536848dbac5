import { RESERVED_OWNER_PREFIX } from "../../../lib/contract/actions/reservation.ts";

/**
 * Maximum size of an owner in bytes. Limited because each holder is sent to every open page of the console. Must match
 * storage.lua.
 */
const OWNER_BYTES_MAX = 1024;

// The thread id is any Java long. Callers of the asynchronous API choose it, so it can be negative.
const CLIENT = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:-?\\d+";
const THREAD = new RegExp(`^${CLIENT}$`, "i");
const ENTRY = new RegExp(`^(.*):(${CLIENT})$`, "is");
const WRITE = ":write";

/** Whether the owner is a thread of a Redisson client. */
export const isThreadOwner = (owner: string) => owner.length <= OWNER_BYTES_MAX && THREAD.test(owner);

/** Whether the owner is a thread of a Redisson client or the owner of a reservation. */
export const isForeignOwner = (owner: string) =>
  isThreadOwner(owner) || (owner.length <= OWNER_BYTES_MAX && owner.startsWith(RESERVED_OWNER_PREFIX));

/** Whether the field belongs to the writer of a read/write lock. */
export const isWriterField = (field: string) => field.endsWith(WRITE);
export const toWriterField = (owner: string) => `${owner}${WRITE}`;
export const stripWriteSuffix = (field: string) =>
  isWriterField(field) ? field.slice(0, -WRITE.length) : field;

/** Formats the prefix of the fields that one holder has for one value of a multi lock. */
export const formatEntry = (value: string, owner: string) => `${value}:${owner}`;

export function parseEntry(entry: string): [value: string, owner: string] | undefined {
  const [, value, owner] = ENTRY.exec(entry) ?? [];
  return value === undefined || owner === undefined ? undefined : [value, owner];
}

export function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
