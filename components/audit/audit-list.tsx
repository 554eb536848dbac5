import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import type { useAudit } from "@/lib/live/audit.ts";
import { AuditRow } from "./audit-row.tsx";

interface AuditListProps {
  audit: ReturnType<typeof useAudit>;
  isFiltered: boolean;
  onClear(): void;
}

/** What is loaded, and the way to what is older. */
export function AuditList({ audit, isFiltered, onClear }: AuditListProps) {
  const pages = audit.data?.pages;
  const items = pages?.flatMap((page) => page.items) ?? [];
  const isAll = pages !== undefined && !audit.hasNextPage;
  return (
    <>
      <ol>
        {items.map((item) => (
          <AuditRow key={item.number} item={item} />
        ))}
      </ol>
      {isAll && items.length === 0 && <Nothing isFiltered={isFiltered} onClear={onClear} />}
      <div className="flex items-center gap-3 px-4 py-2 text-ink-3" aria-live="polite">
        {audit.isLoading && "Looking…"}
        {audit.hasNextPage && (
          <Button
            onClick={() => void audit.fetchNextPage()}
            blocked={audit.isFetchingNextPage ? "They are on their way." : null}
          >
            {audit.isFetchingNextPage ? "Loading…" : "Load older"}
          </Button>
        )}
        {isAll && items.length > 0 && (
          <span>
            {pages.at(-1)?.complete ? "This is where the audit begins." : "Older entries are not kept."}
          </span>
        )}
      </div>
    </>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <EmptyState title="Nothing is recorded yet">
        <p>Whatever somebody changes or frees is written here, before it is done and after.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No action matches">
      <div>
        <Button onClick={onClear}>Show all actions</Button>
      </div>
    </EmptyState>
  );
}
