import { type Companion, toSeenHolder } from "../companion.ts";
import type { SeenHolder } from "../observation.ts";
import { isForeignOwner, parseCount } from "./redisson-owner.ts";

/** Maximum number of fields of a lock. Must match storage.lua. */
const FIELDS_MAX = 64;

/**
 * Parses the holders in a hash. Returns an empty list if the hash is another kind of lock (a read/write lock has a
 * `mode`) or application data.
 */
export function parseHolders(fields: readonly string[], companion: Companion | undefined): SeenHolder[] {
  const holders: SeenHolder[] = [];
  if (fields.length > 2 * FIELDS_MAX) return holders;
  for (let at = 0; at < fields.length; at += 2) {
    const token = fields[at] ?? "";
    const count = parseCount(fields[at + 1] ?? "");
    const ours = token === companion?.token;
    if (count === undefined || !(ours || isForeignOwner(token))) return [];
    holders.push(toSeenHolder(token, count, ours ? companion : undefined));
  }
  return holders;
}
