"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import type { AppConnectionInfo, AppConnectionUrl } from "@/lib/contract/accounts/app-connection.ts";
import { type RequestError, requestJson, sendRequest } from "../api/request.ts";

/**
 * Reads the connection details of the embedded Redis for applications, without the password. Requires `admin` access.
 */
export function useAppConnection() {
  return useQuery<AppConnectionInfo, RequestError>({
    queryKey: ["app-connection"],
    queryFn: () =>
      requestJson(sendRequest("GET", "/app-connection"), (wire, json) => wire.readAppConnection(json)),
  });
}

/**
 * Returns a mutation that reads the URL of the embedded Redis, including the password. The URL is not cached, so only
 * the component that shows the URL keeps it in memory.
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
