"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AuditPage, AuditVerification } from "@/lib/contract/audit.ts";
import type { AuditFilter } from "@/lib/contract/audit-query.ts";
import { API_BASE, type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";

/** As it stands in the address of the page: what is not asked for is undefined. */
export type AuditView = Readonly<Partial<AuditFilter>>;

const PAGE_SIZE = 100;

function toAuditQuery(view: AuditView): Record<string, string | undefined> {
  const { from, to, ...words } = view;
  return { ...words, from: from?.toString(), to: to?.toString() };
}

/** Page by page, the newest first. */
export function useAudit(view: AuditView, isOn: boolean) {
  return useInfiniteQuery<AuditPage, RequestError, { pages: AuditPage[] }, unknown[], string | undefined>({
    queryKey: ["audit", view],
    queryFn: ({ pageParam }) =>
      requestJson(
        sendRequest(
          "GET",
          withTarget("/audit", undefined, {
            ...toAuditQuery(view),
            cursor: pageParam,
            limit: String(PAGE_SIZE),
          }),
        ),
        (wire, json) => wire.readAuditPage(json),
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    enabled: isOn,
  });
}

/** Goes along the whole chain; asked when somebody wants to know. */
export function useAuditVerification() {
  return useQuery<AuditVerification, RequestError>({
    queryKey: ["audit-verification"],
    queryFn: () =>
      requestJson(sendRequest("GET", "/audit/verify"), (wire, json) => wire.readAuditVerification(json)),
    enabled: false,
  });
}

/** Where the browser loads the audit as a file. The chain is whole or nothing: of filters it takes the time alone. */
export function buildAuditExportUrl(format: "jsonl" | "csv", view: AuditView): string {
  const { from, to } = view;
  const wanted = format === "csv" ? view : { from, to };
  return API_BASE + withTarget("/audit/export", undefined, { format, ...toAuditQuery(wanted) });
}
