"use client";

import dynamic from "next/dynamic";
import { isNeverReached } from "@/components/app/connection.ts";
import { useFreeBlock } from "@/components/app/use-blocked-reason.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLive } from "@/lib/live/hooks.ts";
import { Unreachable } from "./target-unreachable.tsx";
import type { Copying } from "./use-copy-sheet.ts";
import type { LocksView } from "./use-locks-view.ts";
import type { Freeing } from "./use-release-sheet.ts";
import type { Picking } from "./use-selection.ts";

/** Shown with the first rows, which come later than the page: it is on its way while they are. */
const loadTable = () => import("./table/locks-table.tsx").then((module) => module.LocksTable);
const LocksTable = dynamic(loadTable, { ssr: false });
if (typeof window !== "undefined") loadTable().catch(() => undefined);
const NothingHeld = dynamic(() => import("./no-locks-held.tsx").then((module) => module.NothingHeld), {
  ssr: false,
});
const NothingFound = dynamic(() => import("./empty-locks.tsx").then((module) => module.NothingFound), {
  ssr: false,
});
const NotASearch = dynamic(() => import("./empty-locks.tsx").then((module) => module.NotASearch), {
  ssr: false,
});
const NeverReached = dynamic(() => import("./empty-locks.tsx").then((module) => module.NeverReached), {
  ssr: false,
});

interface TablePlaceProps {
  view: LocksView;
  freeing: Freeing;
  picking: Picking;
  copying: Copying;
  onOpen(lock: Lock): void;
}

/** The table, or why there is none. */
export function TablePlace({ view, freeing, picking, copying, onOpen }: TablePlaceProps) {
  const live = useLive();
  const freeBlocked = useFreeBlock();
  const { window } = view.table;
  if (view.fault !== undefined) return <NotASearch onClear={() => view.setFilter("")} />;
  if (window === undefined) {
    if (live.connection === "stale") return <Unreachable />;
    return isNeverReached(live) ? <NeverReached /> : null;
  }
  return (
    <LocksTable
      list={view.table}
      window={window}
      sort={view.sort}
      selected={view.selected}
      onSort={view.setSort}
      onRows={view.showRows}
      onOpen={onOpen}
      select={view.select}
      free={freeing.open}
      pick={picking.toggle}
      copy={copying.open}
      picked={picking.picked}
      onPickAll={picking.toggleAll}
      freeBlocked={freeBlocked}
    >
      {window.total === 0 && view.filter !== "" && (
        <NothingFound filter={view.filter} onClear={() => view.setFilter("")} />
      )}
      {window.total === 0 && view.filter === "" && <NothingHeld watch={live.hello?.watch ?? []} />}
    </LocksTable>
  );
}
