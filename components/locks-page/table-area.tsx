"use client";

import dynamic from "next/dynamic";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { loadPart } from "@/lib/api/load-part.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLiveState } from "@/lib/live/hooks.ts";
import { TablePlaceholder } from "./table-placeholder.tsx";
import type { CopySheetState } from "./use-copy-sheet.ts";
import type { LocksView } from "./use-locks-view.ts";
import type { ReleaseSheetState } from "./use-release-sheet.ts";
import type { LockSelection } from "./use-selection.ts";

/**
 * Loads the code of the table. Called as soon as this module loads, so that the code and the first rows load at the
 * same time.
 */
const loadLocksTable = loadPart(() => import("./table/locks-table.tsx").then((module) => module.LocksTable));
const LocksTable = dynamic(loadLocksTable, { ssr: false, loading: () => <TablePlaceholder /> });
if (typeof window !== "undefined") loadLocksTable().catch(() => undefined);
const NoLocksHeld = dynamic(
  loadPart(() => import("./no-locks-held.tsx").then((module) => module.NoLocksHeld)),
  {
    ssr: false,
  },
);
const NoLocksFound = dynamic(
  loadPart(() => import("./empty-locks.tsx").then((module) => module.NoLocksFound)),
  {
    ssr: false,
  },
);
const InvalidSearch = dynamic(
  loadPart(() => import("./empty-locks.tsx").then((module) => module.InvalidSearch)),
  {
    ssr: false,
  },
);

interface TableAreaProps {
  view: LocksView;
  releaseSheet: ReleaseSheetState;
  selection: LockSelection;
  copySheet: CopySheetState;
  onOpen(lock: Lock): void;
}

/** Shows the table of locks, an error if the search is invalid, or a placeholder until the first rows arrive. */
export function TableArea({ view, releaseSheet, selection, copySheet, onOpen }: TableAreaProps) {
  const live = useLiveState();
  const freeBlocked = useReleaseBlockedReason();
  const { window } = view.table;
  if (view.fault !== undefined) return <InvalidSearch onClear={() => view.setFilter("")} />;
  if (window === undefined) return <TablePlaceholder />;
  return (
    <LocksTable
      list={view.table}
      window={window}
      sort={view.sort}
      focusedPath={view.focusedPath}
      onSort={view.setSort}
      onRows={view.showRows}
      onOpen={onOpen}
      focusRow={view.focusRow}
      releaseLock={releaseSheet.open}
      toggleSelected={selection.toggle}
      copy={copySheet.open}
      selectedLocks={selection.selected}
      onSelectAll={selection.toggleAll}
      releaseBlocked={freeBlocked}
    >
      {window.total === 0 && view.filter !== "" && (
        <NoLocksFound filter={view.filter} onClear={() => view.setFilter("")} onFilter={view.setFilter} />
      )}
      {window.total === 0 && view.filter === "" && (
        <NoLocksHeld watch={live.hello?.watch ?? []} onFilter={view.setFilter} />
      )}
    </LocksTable>
  );
}
