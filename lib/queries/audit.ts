"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { AuditFilter, AuditPage, AuditVerification } from "@/lib/contract/audit.ts";
import { ask, at, BASE, type Failure, send } from "../api/request.ts";

/** As it stands in the address of the page: what is not asked for is undefined. */
export type AuditView = Readonly<Partial<AuditFilter>>;

const PAGE = 100;

function wordsOf(view: AuditView): Record<string, string | undefined> {
  const { from, to, ...words } = view;
  return { ...words, from: from?.toString(), to: to?.toString() };
}

/** Page by page, the newest first. */
export function useAudit(view: AuditView, isOn: boolean) {
  return useInfiniteQuery<AuditPage, Failure, { pages: AuditPage[] }, unknown[], string | undefined>({
    queryKey: ["audit", view],
    queryFn: ({ pageParam }) =>
      ask(
        send("GET", at("/audit", undefined, { ...wordsOf(view), cursor: pageParam, limit: String(PAGE) })),
        (wire, json) => wire.readAuditPage(json),
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    enabled: isOn,
  });
}

/** Goes along the whole chain; asked when somebody wants to know. */
export function useAuditVerification() {
  return useQuery<AuditVerification, Failure>({
    queryKey: ["audit-verification"],
    queryFn: () => ask(send("GET", "/audit/verify"), (wire, json) => wire.readAuditVerification(json)),
    enabled: false,
  });
}

/** Where the browser loads the audit as a file. The chain is whole or nothing: of filters it takes the time alone. */
export function auditExportUrl(format: "jsonl" | "csv", view: AuditView): string {
  const { from, to } = view;
  const wanted = format === "csv" ? view : { from, to };
  return BASE + at("/audit/export", undefined, { format, ...wordsOf(wanted) });
}
