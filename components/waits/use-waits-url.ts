"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { formatKey, KEY_BASE64, type KeyFields, parseKeyFields } from "@/lib/keys/key.ts";

const PARSERS = { key: parseAsString, keyBase64: parseAsString };

/**
 * Reads the filter of the waits page from the URL. Returns the lock whose waits are shown (`undefined` for all waits),
 * and a function that clears the filter.
 */
export function useWaitsUrl() {
  const [{ key, keyBase64 }, set] = useQueryStates(PARSERS);
  return {
    lock: toKeyFields(key, keyBase64),
    clear: () => void set({ key: null, keyBase64: null }),
  };
}

function toKeyFields(key: string | null, keyBase64: string | null): KeyFields | undefined {
  if (keyBase64 !== null && KEY_BASE64.test(keyBase64)) {
    const fields = { key: "", keyBase64 };
    return { ...fields, key: formatKey(parseKeyFields(fields)) };
  }
  return key === null ? undefined : { key };
}
