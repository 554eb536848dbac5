"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKeyInput, ApiKeyList, ApiKeyMade } from "@/lib/contract/api-key.ts";
import type { ReleaseFailure } from "./hooks.ts";
import { ask, order, send } from "./request.ts";

const KEYS = ["api-keys"];
const EVERY_MS = 15_000;

const addressOf = (id: string) => `/keys/${encodeURIComponent(id)}`;

/** All keys of apps; the root key is none of them. */
export function useApiKeys() {
  return useQuery<ApiKeyList, ReleaseFailure>({
    queryKey: KEYS,
    queryFn: () => ask(send("GET", "/keys"), (wire, json) => wire.readApiKeys(json)),
    refetchInterval: EVERY_MS,
  });
}

function useKeyChange<Done, Input>(change: (input: Input) => Promise<Done>) {
  const client = useQueryClient();
  return useMutation<Done, ReleaseFailure, Input>({
    mutationFn: change,
    onSettled: () => client.invalidateQueries({ queryKey: KEYS }),
  });
}

/** The answer holds the secret, which is told this once. */
export function useMakeKey() {
  return useKeyChange<ApiKeyMade, ApiKeyInput>((input) =>
    ask(send("POST", "/keys", input), (wire, json) => wire.readApiKeyMade(json)),
  );
}

export function useRotateKey(id: string) {
  return useKeyChange<ApiKeyMade, { overlapMs: number }>((input) =>
    ask(send("POST", `${addressOf(id)}/rotate`, input), (wire, json) => wire.readApiKeyMade(json)),
  );
}

export function useRevokeKey(id: string) {
  return useKeyChange<void, void>(() => order(send("DELETE", addressOf(id))));
}
