import { encodeKeyPath, type KeyFields, parseKeyFields } from "@/lib/keys/key.ts";

/** A key as one path segment: identifies a lock in URLs and lists. */
export function toLockPath(fields: KeyFields): string {
  return encodeKeyPath(parseKeyFields(fields));
}

export function buildLockHref(fields: KeyFields): string {
  return `/locks/${toLockPath(fields)}`;
}
