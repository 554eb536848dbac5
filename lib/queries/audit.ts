"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AuditPage, AuditVerification } from "@/lib/contract/audit.ts";
import type { AuditFilter } from "@/lib/contract/audit-query.ts";
import { API_BASE, type RequestError, requestJson, sendRequest, withTarget } from "../api/request.ts";

/** The filter in the URL of the audit log page. `undefined` fields do not restrict the log. */
export type AuditView = Readonly<Partial<AuditFilter>>;

const PAGE_SIZE = 100;

function toAuditQuery(view: AuditView): Record<string, string | undefined> {
  const { from, to, ...words } = view;
  return { ...words, from: from?.toString(), to: to?.toString() };
}

/** Reads the audit log page by page, newest first. */
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

/** Verifies the hashes of all retained entries of the audit log when `refetch` is called. */
export function useAuditVerification() {
  return useQuery<AuditVerification, RequestError>({
    queryKey: ["audit-verification"],
    queryFn: () =>
      requestJson(sendRequest("GET", "/audit/verify"), (wire, json) => wire.readAuditVerification(json)),
    enabled: false,
  });
}

/**
 * Builds the URL of an export of the audit log. A `jsonl` export must contain a contiguous chain, so only `from` and
 * `to` of the filter apply to it.
 */
export function buildAuditExportUrl(format: "jsonl" | "csv", view: AuditView): string {
  const { from, to } = view;
  const wanted = format === "csv" ? view : { from, to };
  return API_BASE + withTarget("/audit/export", undefined, { format, ...toAuditQuery(wanted) });
}
