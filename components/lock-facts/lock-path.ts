import { encodeKeyPath, type KeyFields, parseKeyFields } from "@/lib/keys/key.ts";

/** Encodes a key as a single path segment, which identifies the lock in URLs and lists. */
export function toLockPath(fields: KeyFields): string {
  return encodeKeyPath(parseKeyFields(fields));
}

export function buildLockHref(fields: KeyFields): string {
  return `/locks/${toLockPath(fields)}`;
}
