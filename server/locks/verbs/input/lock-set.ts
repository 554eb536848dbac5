import { LOCKS_MAX } from "../../../../lib/contract/actions/acquire-all.ts";
import { encodeKey, type Key } from "../../../../lib/keys/key.ts";
import { InvalidError } from "../../../errors/request-errors.ts";

/**
 * Checks the keys of a request for several locks.
 *
 * @throws InvalidError if there are no keys, too many keys, or duplicates
 */
export function assertLockSet(keys: readonly Key[]): void {
  if (keys.length === 0 || keys.length > LOCKS_MAX)
    throw new InvalidError(`keys must contain 1 to ${LOCKS_MAX} keys.`, { field: "keys" });
  if (new Set(keys).size !== keys.length)
    throw new InvalidError("keys contains the same key twice.", { field: "keys" });
}

/** Returns the keys in byte order, which is the same in every process. */
export function sortKeys(keys: readonly Key[]): Key[] {
  const sortable = keys.map((key) => ({ key, bytes: encodeKey(key) }));
  return sortable.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ key }) => key);
}
