"use client";

import { isServerAdmin } from "@/components/app/permissions.ts";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { MAIN_PART } from "@/components/ui/main-part.ts";
import { LIST_PAGE_CLASS, PageHeader } from "@/components/ui/page-header.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { buildAuditExportUrl, useAudit } from "@/lib/queries/audit.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditList } from "./audit-list.tsx";
import { AuditVerificationPanel } from "./audit-verification.tsx";
import { useAuditUrl } from "./use-audit-url.ts";

/** Shows the audit log, newest action first. */
export function AuditPage() {
  const messages = useMessages(audit);
  const { hello } = useLiveState();
  const url = useAuditUrl();
  const isAdmin = isServerAdmin(hello);
  const found = useAudit(url.view, isAdmin);
  if (hello === null) return null;
  if (!isAdmin) {
    return (
      <EmptyState page title={messages.forAdmins}>
        <p>{messages.forAdminsText}</p>
      </EmptyState>
    );
  }
  return (
    <div className={LIST_PAGE_CLASS}>
      <PageHeader title={messages.title}>
        <AuditVerificationPanel head={found.data?.pages[0]?.head} />
        <span className="flex-1" />
        <Button blocked={found.isFetching ? messages.loadingLog : null} onClick={() => void found.refetch()}>
          {messages.refresh}
        </Button>
        <AuditExport format="CSV" href={buildAuditExportUrl("csv", url.view)} title={messages.exportCsv} />
        <AuditExport
          format="JSONL"
          href={buildAuditExportUrl("jsonl", url.view)}
          title={messages.exportJsonl}
        />
      </PageHeader>
      <AuditFilters url={url} />
      <section
        {...MAIN_PART}
        aria-label={messages.actions}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable with the keyboard
        tabIndex={0}
        className="@container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
      >
        <ProblemNote problem={found.error} onAgain={() => void found.refetch()} />
        <AuditList audit={found} isFiltered={url.isFiltered} onClear={url.clear} />
      </section>
    </div>
  );
}

function AuditExport({ format, href, title }: { format: "CSV" | "JSONL"; href: string; title: string }) {
  const messages = useMessages(audit);
  return (
    <a
      href={href}
      download
      title={title}
      className="inline-flex h-7 max-sm:min-h-11 items-center rounded-[7px] border border-line bg-panel px-2.5 hover:bg-line-soft"
    >
      {messages.exportAs(format)}
    </a>
  );
}
