"use client";

import { isServerAdmin } from "@/components/shell/rank.ts";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { auditExportUrl, useAudit } from "@/lib/live/audit.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { AuditChain } from "./audit-chain.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditList } from "./audit-list.tsx";
import { useAuditUrl } from "./use-audit-url.ts";

/** Who did what, newest first. */
export function AuditPage() {
  const { hello } = useLive();
  const url = useAuditUrl();
  const isAdmin = isServerAdmin(hello);
  const audit = useAudit(url.view, isAdmin);
  if (hello === null) return null;
  if (!isAdmin) {
    return (
      <EmptyState page title="The audit is for admins">
        <p>
          It is one chain for all targets, so admins of all of them read it. You are not one: ask somebody who
          is.
        </p>
      </EmptyState>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="mr-2 text-lg font-semibold tracking-tight">Audit</h1>
        <AuditChain head={audit.data?.pages[0]?.head} />
        <span className="flex-1" />
        <Button blocked={audit.isFetching ? "It is on its way." : null} onClick={() => void audit.refetch()}>
          Look again
        </Button>
        <Export
          format="CSV"
          href={auditExportUrl("csv", url.view)}
          title="The actions that the filters want"
        />
        <Export
          format="JSONL"
          href={auditExportUrl("jsonl", url.view)}
          title="The chain as it is, for npm run audit:verify; of the filters the time alone counts"
        />
      </div>
      <AuditFilters url={url} />
      <section
        aria-label="Actions"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="@container min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
      >
        <ProblemNote problem={audit.error} onAgain={() => void audit.refetch()} />
        <AuditList audit={audit} isFiltered={url.isFiltered} onClear={url.clear} />
      </section>
    </div>
  );
}

function Export({ format, href, title }: { format: "CSV" | "JSONL"; href: string; title: string }) {
  return (
    <a
      href={href}
      download
      title={title}
      className="inline-flex h-7 items-center rounded-[7px] border border-line bg-panel px-2.5 hover:bg-line-soft"
    >
      Export {format}
    </a>
  );
}
