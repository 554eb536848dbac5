"use client";

import { useQuery } from "@tanstack/react-query";
import type {
  ApiKey,
  ApiKeyInput,
  ApiKeyList,
  ApiKeyQuotaInput,
  CreatedApiKey,
} from "@/lib/contract/accounts/api-key.ts";
import { type RequestError, requestJson, requestVoid, sendRequest } from "../../api/request.ts";
import { useInvalidatingMutation } from "../use-change.ts";

const API_KEYS_QUERY_KEY = ["api-keys"];
const REFETCH_MS = 15_000;

const getKeyPath = (id: string) => `/keys/${encodeURIComponent(id)}`;

/** Lists the API keys, except the root key. */
export function useApiKeys() {
  return useQuery<ApiKeyList, RequestError>({
    queryKey: API_KEYS_QUERY_KEY,
    queryFn: () => requestJson(sendRequest("GET", "/keys"), (wire, json) => wire.readApiKeys(json)),
    refetchInterval: REFETCH_MS,
  });
}

/** Returns a mutation that creates an API key. Only the response to this request contains the key's secret. */
export function useCreateKey() {
  return useInvalidatingMutation<CreatedApiKey, ApiKeyInput>(API_KEYS_QUERY_KEY, (input) =>
    requestJson(sendRequest("POST", "/keys", input), (wire, json) => wire.readCreatedApiKey(json)),
  );
}

export function useRotateKey(id: string) {
  return useInvalidatingMutation<CreatedApiKey, { overlapMs: number }>(API_KEYS_QUERY_KEY, (input) =>
    requestJson(sendRequest("POST", `${getKeyPath(id)}/rotate`, input), (wire, json) =>
      wire.readCreatedApiKey(json),
    ),
  );
}

export function useSetKeyQuota(id: string) {
  return useInvalidatingMutation<ApiKey, ApiKeyQuotaInput>(API_KEYS_QUERY_KEY, (input) =>
    requestJson(sendRequest("PATCH", getKeyPath(id), input), (wire, json) => wire.readApiKey(json)),
  );
}

export function useRevokeKey(id: string) {
  return useInvalidatingMutation<void, void>(API_KEYS_QUERY_KEY, () =>
    requestVoid(sendRequest("DELETE", getKeyPath(id))),
  );
}
