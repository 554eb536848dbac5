"use client";

import clsx from "clsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { FIRST_ROWS_BOX, FIRST_ROWS_GRID, FirstRowsHeader } from "./first-rows.tsx";
import { useFirstRows } from "./first-rows-provider.tsx";
import { TargetUnreachable } from "./target-unreachable.tsx";
import { useListUrl } from "./use-list-url.ts";

const SKELETON_ROWS = 30;
const SKELETON_KEYS = Array.from({ length: SKELETON_ROWS }, (_, row) => row);

/** Takes the place of the table until it has rows: the server's rows, or bars of their height. */
export function TablePlaceholder() {
  const { filter, sort } = useListUrl();
  const { connection } = useLiveState();
  const rows = useFirstRows({ filter, sort, target: useTargetName() });
  if (rows !== null) return rows;
  return connection === "stale" ? <TargetUnreachable /> : <TableSkeleton />;
}

function TableSkeleton() {
  const messages = useMessages(table);
  return (
    <section aria-label={messages.title} aria-busy className={FIRST_ROWS_BOX}>
      <FirstRowsHeader messages={{ table: messages }} />
      {SKELETON_KEYS.map((row) => (
        <div
          key={row}
          aria-hidden
          className={clsx(FIRST_ROWS_GRID, "h-24 items-center border-b border-line-soft sm:h-10")}
        >
          <SkeletonBar className="w-3/5" />
          <SkeletonBar className="w-2/5 max-sm:order-1" />
          <SkeletonBar className="ml-auto w-12" />
          <SkeletonBar className="ml-auto w-12 max-lg:hidden" />
          <SkeletonBar className="w-16 max-sm:order-2" />
          <SkeletonBar className="ml-auto w-6 max-lg:hidden" />
        </div>
      ))}
    </section>
  );
}

function SkeletonBar({ className }: { className: string }) {
  return <span className={clsx("block h-2 rounded-full bg-line-soft", className)} />;
}
