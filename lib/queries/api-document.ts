"use client";

import { useQuery } from "@tanstack/react-query";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import { BASE_PATH } from "../api/base-path.ts";
import { type RequestError, requestJson, sendRequest } from "../api/request.ts";

/** What the API says of itself. It changes with the server alone. */
export function useOpenApiDocument() {
  return useQuery<OpenApiDocument, RequestError>({
    queryKey: ["document"],
    // Made by this very server for this very page; nothing of it is anybody else's text.
    queryFn: () => requestJson(sendRequest("GET", "/openapi.json"), (_, json) => json as OpenApiDocument),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Where apps reach the server: as this browser does. */
export function getServerUrl(): string {
  return window.location.origin + BASE_PATH;
}
