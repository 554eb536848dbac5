"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import type { AppConnectionInfo, AppConnectionUrl } from "@/lib/contract/accounts/app-connection.ts";
import { type RequestError, requestJson, sendRequest } from "../api/request.ts";

/** Reads the address at which applications connect to the embedded Redis. Requires administrator access. */
export function useAppConnection() {
  return useQuery<AppConnectionInfo, RequestError>({
    queryKey: ["app-connection"],
    queryFn: () =>
      requestJson(sendRequest("GET", "/app-connection"), (wire, json) => wire.readAppConnection(json)),
  });
}

/**
 * Reads the Redis URL with the password on demand. The URL is not cached, so only the component that shows it keeps it
 * in memory.
 */
export function useRevealedUrl() {
  return useMutation<AppConnectionUrl, RequestError>({
    mutationFn: () =>
      requestJson(sendRequest("POST", "/app-connection/url"), (wire, json) =>
        wire.readAppConnectionUrl(json),
      ),
    gcTime: 0,
  });
}
