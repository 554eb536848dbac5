"use client";

import { useQuery } from "@tanstack/react-query";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import { BASE_PATH } from "../api/base-path.ts";
import { type RequestError, requestJson, sendRequest } from "../api/request.ts";

/**
 * Reads the server's OpenAPI document. Does not refetch a cached document, because the document changes only with the
 * version of the server.
 */
export function useOpenApiDocument() {
  return useQuery<OpenApiDocument, RequestError>({
    queryKey: ["document"],
    // Not validated, because the server generates the document from its own declarations.
    queryFn: () => requestJson(sendRequest("GET", "/openapi.json"), (_, json) => json as OpenApiDocument),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the URL at which this browser reaches the server, including the base path. */
export function getServerUrl(): string {
  return window.location.origin + BASE_PATH;
}
