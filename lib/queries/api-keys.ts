"use client";

import { useQuery } from "@tanstack/react-query";
import type { ApiKeyInput, ApiKeyList, ApiKeyMade } from "@/lib/contract/accounts/api-key.ts";
import { ask, type Failure, order, send } from "../api/request.ts";
import { useChange } from "./use-change.ts";

const KEYS = ["api-keys"];
const EVERY_MS = 15_000;

const addressOf = (id: string) => `/keys/${encodeURIComponent(id)}`;

/** All keys of apps; the root key is none of them. */
export function useApiKeys() {
  return useQuery<ApiKeyList, Failure>({
    queryKey: KEYS,
    queryFn: () => ask(send("GET", "/keys"), (wire, json) => wire.readApiKeys(json)),
    refetchInterval: EVERY_MS,
  });
}

/** The answer holds the secret, which is told this once. */
export function useMakeKey() {
  return useChange<ApiKeyMade, ApiKeyInput>(KEYS, (input) =>
    ask(send("POST", "/keys", input), (wire, json) => wire.readApiKeyMade(json)),
  );
}

export function useRotateKey(id: string) {
  return useChange<ApiKeyMade, { overlapMs: number }>(KEYS, (input) =>
    ask(send("POST", `${addressOf(id)}/rotate`, input), (wire, json) => wire.readApiKeyMade(json)),
  );
}

export function useRevokeKey(id: string) {
  return useChange<void, void>(KEYS, () => order(send("DELETE", addressOf(id))));
}
