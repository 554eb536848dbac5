"use client";

import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { useAudit } from "@/lib/queries/audit.ts";
import { placeRefusalsByTime } from "@/lib/query/audit-order.ts";
import { AuditHeads, AuditRow } from "./audit-row.tsx";

interface AuditListProps {
  audit: ReturnType<typeof useAudit>;
  isFiltered: boolean;
  onClear(): void;
}

/** Lists the loaded actions, with a button that loads older actions. */
export function AuditList({ audit: found, isFiltered, onClear }: AuditListProps) {
  const messages = useMessages(audit);
  const { loading } = useMessages(ui);
  const pages = found.data?.pages;
  // Across pages, refusals are not in order of time, because the server sorts them only within each page.
  const items = placeRefusalsByTime(pages?.flatMap((page) => page.items) ?? []);
  const isAll = pages !== undefined && !found.hasNextPage;
  return (
    <>
      {items.length > 0 && <AuditHeads />}
      <ol>
        {items.map((item) => (
          <AuditRow key={item.number} item={item} />
        ))}
      </ol>
      {isAll && items.length === 0 && <EmptyAuditList isFiltered={isFiltered} onClear={onClear} />}
      <div className="flex items-center gap-3 px-4 py-2 text-ink-3" aria-live="polite">
        {found.isLoading && loading}
        {found.hasNextPage && (
          <Button
            onClick={() => void found.fetchNextPage()}
            blocked={found.isFetchingNextPage ? messages.loadingOlder : null}
          >
            {found.isFetchingNextPage ? messages.loading : messages.loadOlder}
          </Button>
        )}
        {isAll && items.length > 0 && (
          <span>{pages.at(-1)?.complete ? messages.logStart : messages.notKept}</span>
        )}
      </div>
    </>
  );
}

function EmptyAuditList({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  const messages = useMessages(audit);
  if (!isFiltered) {
    return (
      <EmptyState title={messages.nothing}>
        <p>{messages.nothingText}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={messages.noMatch}>
      <div>
        <Button onClick={onClear}>{messages.showAllActions}</Button>
      </div>
    </EmptyState>
  );
}
