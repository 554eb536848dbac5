import type { FormatName } from "../../../lib/contract/format.ts";
import type { Key } from "../../../lib/keys/key.ts";
import type { Hold } from "../holds/observed-hold.ts";

/** Formats in which one token may stand at several keys that were taken together. */
const IN_GROUPS: ReadonlySet<FormatName> = new Set(["redlock", "bsm-redislock", "token"]);

/** Which keys hold one token. Taking in a change costs the same however many there are. */
export class Tokens {
  readonly #keys = new Map<Key, Set<Key>>();

  change(key: Key, before: Hold | undefined, after: Hold | undefined): void {
    const [was, is] = [tokenOf(before), tokenOf(after)];
    if (was === is) return;
    if (was !== undefined) this.#drop(was, key);
    if (is === undefined) return;
    const keys = this.#keys.get(is);
    if (keys === undefined) this.#keys.set(is, new Set([key]));
    else keys.add(key);
  }

  /** The other keys with the token of this hold, `most` of them. */
  others(hold: Hold, most: number): Key[] {
    const others: Key[] = [];
    const token = tokenOf(hold);
    if (token === undefined) return others;
    for (const key of this.#keys.get(token) ?? []) {
      if (others.length === most) break;
      if (key !== hold.key) others.push(key);
    }
    return others;
  }

  #drop(token: Key, key: Key): void {
    const keys = this.#keys.get(token);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(token);
  }
}

function tokenOf(hold: Hold | undefined): Key | undefined {
  if (hold === undefined || hold.holders.length > 1) return undefined;
  const { format, candidates, holders } = hold.seen;
  const [{ owner, fence }] = holders;
  if (fence !== null) return undefined;
  return IN_GROUPS.has(format) || candidates.some((name) => IN_GROUPS.has(name)) ? owner : undefined;
}
