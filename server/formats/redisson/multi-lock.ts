import { createForeignHolder, type SeenHolder } from "../observation.ts";
import { formatEntry, isThreadOwner, parseCount, parseEntry } from "./redisson-owner.ts";

const END = ":expire_time";
const COUNT = ":lock_count";

/**
 * Parses the hash of a lock that `getMultiLock(group, values)` created. Returns one holder per locked value, or
 * `undefined` if the hash is not such a lock. Expired entries stay in the hash but hold nothing, so they are returned
 * only if all entries have expired.
 *
 * @param leftMs TTL of the key in ms, which limits all entries; `null` if the key has no TTL
 */
export function parseMultiLock(
  fields: readonly string[],
  asOf: number,
  leftMs: number | null,
): [SeenHolder, ...SeenHolder[]] | undefined {
  const values = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) values.set(fields[at] ?? "", fields[at + 1] ?? "");
  const entries: SeenHolder[] = [];
  for (const [field, text] of values) {
    if (isEntryField(field)) continue;
    const entry = formatEntry(field, text);
    const end = values.get(entry + END);
    const count = parseCount(values.get(entry + COUNT) ?? "");
    if (!isThreadOwner(text) || end === undefined || !/^\d{1,15}$/.test(end) || count === undefined) {
      return undefined;
    }
    const ownRemainingMs = Math.min(Number(end) - asOf, leftMs ?? Number.POSITIVE_INFINITY);
    entries.push(createForeignHolder(entry, { count, ownRemainingMs }));
  }
  const held = entries.filter(({ ownRemainingMs }) => (ownRemainingMs ?? 0) > 0);
  const [first, ...rest] = held.length > 0 ? held : entries;
  return first && [first, ...rest];
}

/**
 * Whether the field belongs to an entry of the multi lock. Fields of a previous holder remain after another thread has
 * taken over its entry.
 */
function isEntryField(field: string): boolean {
  const suffix = field.endsWith(END) ? END : field.endsWith(COUNT) ? COUNT : undefined;
  return suffix !== undefined && parseEntry(field.slice(0, -suffix.length)) !== undefined;
}
