"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useCallback, useRef, useState } from "react";
import { EventPanel } from "@/components/events/event-panel.tsx";
import { freeBlock } from "@/components/shell/connection.ts";
import { Greyed } from "@/components/shell/greyed.tsx";
import { SearchBox } from "@/components/ui/search-box.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useLive, useShowWindow } from "@/lib/live/hooks.ts";
import { useLockWindow } from "@/lib/live/pictures.ts";
import { NothingFound, NothingHeld, Unreachable } from "./empty-locks.tsx";
import { FILTER_CHARACTERS_MAX } from "./list-limits.ts";
import { hrefOf, pathOf } from "./lock-facts.ts";
import { LocksTable, ROWS_MAX } from "./locks-table.tsx";
import { LocksToolbar } from "./locks-toolbar.tsx";
import { NotificationsHint } from "./notifications-hint.tsx";
import { useListUrl } from "./use-list-url.ts";
import { usePausable } from "./use-pausable.ts";
import { rowElement } from "./use-row-keys.ts";
import { offsetFor, WINDOW_ROWS } from "./window-of.ts";

const FreeSheet = dynamic(() => import("./free-sheet.tsx").then((module) => module.FreeSheet), {
  ssr: false,
});

export function LocksPage() {
  const live = useLive();
  const url = useListUrl();
  const [offset, setOffset] = useState(0);
  useShowWindow({ filter: url.filter, sort: url.sort, offset, limit: WINDOW_ROWS });
  const table = usePausable(useLockWindow());
  const total = table.window?.total ?? 0;
  const showRows = useCallback(
    (first: number, last: number) => setOffset((present) => offsetFor(first, last, total, present)),
    [total],
  );
  const { freeing, setFreeing, place, backToRow } = useFreeing(table.window?.items ?? NO_LOCKS);
  const router = useRouter();
  useKeys({ p: table.toggle });
  const anew = (change: () => void) => {
    table.resume();
    setOffset(0);
    place.current?.querySelector("section")?.scrollTo({ top: 0 });
    change();
  };
  return (
    <div className="flex min-h-0 flex-1">
      <Greyed className="flex min-w-0 flex-1 flex-col gap-2 px-3 pt-3 sm:px-4">
        <h1 className="sr-only">Locks</h1>
        <div className="flex flex-wrap items-center gap-2">
          <SearchBox
            value={url.filter}
            onChange={(filter) => anew(() => url.setFilter(filter))}
            label="Search locks"
            placeholder="Key, owner or record; key:lock:orders:*  owner:billing*"
            maxLength={FILTER_CHARACTERS_MAX}
          />
          <LocksToolbar table={table} filtered={url.filter !== ""} />
        </div>
        <NotificationsHint />
        <div ref={place} className="flex min-h-0 flex-1 flex-col">
          {table.window !== undefined && (
            <LocksTable
              window={table.window}
              sort={url.sort}
              selected={url.selected}
              onSort={(sort) => anew(() => url.setSort(sort))}
              onRows={showRows}
              onOpen={(lock) => router.push(hrefOf(lock))}
              select={url.select}
              free={setFreeing}
              freeBlocked={freeBlock(live)}
            >
              {total === 0 && url.filter !== "" && (
                <NothingFound filter={url.filter} onClear={() => anew(() => url.setFilter(""))} />
              )}
              {total === 0 && url.filter === "" && <NothingHeld watch={live.hello?.watch ?? []} />}
              {total > ROWS_MAX && <p className="p-4 text-ink-3">Narrow the search to see the rest.</p>}
            </LocksTable>
          )}
          {table.window === undefined && live.connection === "stale" && <Unreachable />}
        </div>
      </Greyed>
      <EventPanel />
      {freeing !== null && (
        <FreeSheet
          key={pathOf(freeing)}
          lock={freeing}
          onClose={() => setFreeing(null)}
          finalFocus={backToRow}
        />
      )}
    </div>
  );
}

const NO_LOCKS: readonly Lock[] = [];

/** Which lock the sheet is open for, and where the focus goes after: to its row, or to the one in its place. */
function useFreeing(items: readonly Lock[]) {
  const place = useRef<HTMLDivElement>(null);
  const [freeing, setFreeing] = useState<Lock | null>(null);
  const from = useRef({ path: "", index: 0 });
  const open = (lock: Lock | null) => {
    if (lock !== null) {
      const path = pathOf(lock);
      from.current = { path, index: items.findIndex((one) => pathOf(one) === path) };
    }
    setFreeing(lock);
  };
  const backToRow = (): HTMLElement | null => {
    const rows = place.current?.querySelectorAll<HTMLElement>("tr[data-path]") ?? [];
    const row = rowElement(place.current, from.current.path);
    return (
      row ??
      rows[Math.min(from.current.index, rows.length - 1)] ??
      place.current?.querySelector("section") ??
      null
    );
  };
  return { freeing, setFreeing: open, place, backToRow };
}
