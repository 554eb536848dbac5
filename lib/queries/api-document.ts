"use client";

import { useQuery } from "@tanstack/react-query";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import { BASE_PATH } from "../api/base-path.ts";
import { ask, type Failure, send } from "../api/request.ts";

/** What the API says of itself. It changes with the server alone. */
export function useDocument() {
  return useQuery<OpenApiDocument, Failure>({
    queryKey: ["document"],
    // Made by this very server for this very page; nothing of it is anybody else's text.
    queryFn: () => ask(send("GET", "/openapi.json"), (_, json) => json as OpenApiDocument),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Where apps reach the server: as this browser does. */
export function serverAddress(): string {
  return window.location.origin + BASE_PATH;
}
