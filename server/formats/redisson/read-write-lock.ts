import { type Companion, toSeenHolder } from "../companion.ts";
import type { SeenHolder } from "../observation.ts";
import { isForeignOwner, isWriterField, parseCount, stripWriteSuffix } from "./redisson-owner.ts";

export interface ReadWriteLock {
  readonly mode: "read" | "write";
  readonly holders: readonly [SeenHolder, ...SeenHolder[]];
  /**
   * Whether the number of writers matches `mode`: one for `write`, none for `read`. Redisson never writes any other
   * number. Readers in mode `write` are the writer's own read locks.
   */
  readonly isWhole: boolean;
}

/** Parses the fields of a read/write lock. Returns `undefined` if the hash is not a read/write lock. */
export function parseReadWriteLock(
  fields: readonly string[],
  companion: Companion | undefined,
): ReadWriteLock | undefined {
  const at = fields.indexOf("mode");
  const mode = at % 2 === 0 ? fields[at + 1] : undefined;
  if (mode !== "read" && mode !== "write") return undefined;
  const [first, ...rest] = parseReadWriteHolders(
    [...fields.slice(0, at), ...fields.slice(at + 2)],
    companion,
  );
  if (first === undefined) return undefined;
  const holders = [first, ...rest] as const;
  const writers = holders.filter(({ role }) => role === "write").length;
  return { mode, holders, isWhole: writers === (mode === "write" ? 1 : 0) };
}

function parseReadWriteHolders(fields: readonly string[], companion: Companion | undefined): SeenHolder[] {
  const holders: SeenHolder[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const token = fields[at] ?? "";
    const count = parseCount(fields[at + 1] ?? "");
    const isOwn = token === companion?.token;
    if (count === undefined || !(isOwn || isForeignOwner(stripWriteSuffix(token)))) return [];
    const role = isWriterField(token) ? "write" : "read";
    holders.push({ role, ...toSeenHolder(token, count, isOwn ? companion : undefined) });
  }
  return holders;
}
