import { type KeyFields, keyOfFields, pathOfKey } from "@/lib/keys/key.ts";

/** A key as one path segment: names a lock in URLs and in lists. */
export function pathOf(fields: KeyFields): string {
  return pathOfKey(keyOfFields(fields));
}

export function hrefOf(fields: KeyFields): string {
  return `/locks/${pathOf(fields)}`;
}
