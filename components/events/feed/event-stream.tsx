"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import type { HistoryEntry } from "@/lib/contract/event.ts";
import { useLocationHash } from "../../ui/use-location-hash.ts";
import { EventList, type EventListHandle } from "./event-list.tsx";
import { foldRenewals } from "./feed-lines.ts";

const EventDetails = dynamic(() => import("./event-details.tsx").then((module) => module.EventDetails), {
  ssr: false,
});

interface EventStreamProps {
  /** Newest first. */
  entries: readonly HistoryEntry[];
  skippedBefore: ReadonlyMap<string, number>;
  follows: boolean;
  /** Whether entries are still being loaded. If so, the entry in the URL may not be in `entries` yet. */
  isLoading: boolean;
  /** Whether renewals are grouped; false if the search selects renewals. */
  foldsRenewals: boolean;
  onTop(isAtTop: boolean): void;
  onReading: ((isReading: boolean) => void) | undefined;
  waiting: number;
  onShowWaiting(): void;
  onJump(at: number): void;
  onReplay(at: number): void;
  onOlder: (() => void) | undefined;
  onNewer: (() => void) | undefined;
  isOlderComing: boolean;
  handle: React.RefObject<EventListHandle | null>;
  children: ReactNode;
  end: ReactNode;
}

/**
 * Shows the list of events, and the details of the entry whose id is in the URL fragment. `j` and `k` move between
 * entries. Enter opens the focused entry.
 */
export function EventStream({
  entries,
  foldsRenewals,
  handle,
  isLoading,
  onReplay,
  ...list
}: EventStreamProps) {
  const [hash, setHash] = useLocationHash();
  const place = useRef<HTMLDivElement>(null);
  const openId = hash === "" ? undefined : hash;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(
    () => foldRenewals(entries, { least: foldsRenewals ? 2 : Number.POSITIVE_INFINITY, expanded }),
    [entries, foldsRenewals, expanded],
  );
  const onToggleGroup = useCallback(
    (id: string) =>
      setExpanded(
        (known) => new Set(known.has(id) ? [...known].filter((each) => each !== id) : [...known, id]),
      ),
    [],
  );
  const open = openId === undefined ? undefined : entries.find(({ id }) => id === openId);
  const onOpen = useCallback(({ id }: HistoryEntry) => setHash(id === openId ? "" : id), [openId, setHash]);
  const go = (by: 1 | -1) => {
    const focused = place.current?.querySelector<HTMLElement>("li:focus-within")?.dataset.id;
    const from = lines.findIndex(({ id }) => id === (focused ?? openId));
    const at = Math.min(lines.length - 1, Math.max(0, from + by));
    handle.current?.go(at);
    const next = lines[at];
    // If the details are open, they follow the focused row.
    if (openId !== undefined && next !== undefined && "entry" in next) setHash(next.id);
  };
  const close = () => {
    setHash("");
    const at = lines.findIndex(({ id }) => id === openId);
    if (at >= 0) handle.current?.go(at);
  };
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    escape: () => {
      if (openId !== undefined) close();
    },
  });
  return (
    <div ref={place} className="flex min-h-0 flex-1 gap-3">
      <EventList
        {...list}
        lines={lines}
        expanded={expanded}
        onToggleGroup={onToggleGroup}
        openId={openId}
        onOpen={onOpen}
        ref={handle}
      />
      {openId !== undefined && (open !== undefined || !isLoading) && (
        <EventDetails entry={open} onClose={close} onReplay={onReplay} />
      )}
    </div>
  );
}
