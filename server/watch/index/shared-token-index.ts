import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { ObservedHold } from "../holds/observed-hold.ts";

/** Formats of libraries that store the same token in all keys that they acquire together. */
const SHARED_TOKEN_FORMATS: ReadonlySet<FormatName> = new Set([
  "redlock",
  "bsm-redislock",
  "rueidislock",
  "token",
]);
/** Minimum length of a token of an unknown library. Shorter values, such as `1`, are often not unique. */
const TOKEN_LENGTH_MIN = 16;

/**
 * Finds the keys of foreign locks that contain the same token. Includes only formats in which keys that are acquired
 * together have the same token, and only locks with one holder. Updates take constant time.
 */
export class SharedTokenIndex {
  readonly #keys = new Map<Key, Set<Key>>();

  update(key: Key, before: ObservedHold | undefined, after: ObservedHold | undefined): void {
    const [was, is] = [findSharedToken(before), findSharedToken(after)];
    if (was === is) return;
    if (was !== undefined) this.#removeKey(was, key);
    if (is === undefined) return;
    const keys = this.#keys.get(is);
    if (keys === undefined) this.#keys.set(is, new Set([key]));
    else keys.add(key);
  }

  /** Returns up to `most` other keys that contain the token of this hold. */
  findOtherKeys(hold: ObservedHold, most: number): Key[] {
    const others: Key[] = [];
    const token = findSharedToken(hold);
    if (token === undefined) return others;
    for (const key of this.#keys.get(token) ?? []) {
      if (others.length === most) break;
      if (key !== hold.key) others.push(key);
    }
    return others;
  }

  #removeKey(token: Key, key: Key): void {
    const keys = this.#keys.get(token);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(token);
  }
}

function findSharedToken(hold: ObservedHold | undefined): Key | undefined {
  if (hold === undefined || hold.holders.length > 1) return undefined;
  const { format, candidates, holders, isChosen } = hold.seen;
  const [{ token, fence }] = holders;
  // A token that the application chooses can be the same for locks that were acquired separately.
  if (isChosen) return undefined;
  if (fence !== null || (format === "token" && token.length < TOKEN_LENGTH_MIN)) return undefined;
  return SHARED_TOKEN_FORMATS.has(format) || candidates.some((name) => SHARED_TOKEN_FORMATS.has(name))
    ? token
    : undefined;
}
