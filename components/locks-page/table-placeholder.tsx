"use client";

import clsx from "clsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { FIRST_ROWS_BOX, FIRST_ROWS_GRID } from "./first-rows-layout.ts";
import { useFirstRows } from "./first-rows-provider.tsx";
import { TargetUnreachable } from "./target-unreachable.tsx";
import { useListUrl } from "./use-list-url.ts";

const SKELETON_ROWS = Array.from({ length: 30 }, (_, row) => row);
const BAR_CLASSES = [
  "w-3/5",
  "w-2/5 max-sm:order-1",
  "ml-auto w-5 max-lg:hidden",
  "ml-auto w-12",
  "ml-auto w-12 max-lg:hidden",
  "w-16 max-sm:order-2",
  "ml-auto w-6 max-lg:hidden",
];

/**
 * Shows the rows that the server rendered, until the table is ready. If there are no such rows, shows gray bars of the
 * same height, or an error if the server is unreachable.
 */
export function TablePlaceholder() {
  const { filter, sort } = useListUrl();
  const { connection } = useLiveState();
  const rows = useFirstRows({ filter, sort, target: useTargetName() });
  if (rows !== null) return rows;
  return connection === "stale" ? <TargetUnreachable /> : <TableSkeleton />;
}

function TableSkeleton() {
  const { places } = useMessages(shell);
  return (
    <section aria-label={places.locks} aria-busy className={FIRST_ROWS_BOX}>
      <div className="h-9 border-b border-line bg-bg max-sm:hidden" />
      {SKELETON_ROWS.map((row) => (
        <div
          key={row}
          aria-hidden
          className={clsx(FIRST_ROWS_GRID, "h-[92px] items-center border-b border-line-soft sm:h-10")}
        >
          {BAR_CLASSES.map((className) => (
            <span key={className} className={clsx("block h-2 rounded-full bg-line-soft", className)} />
          ))}
        </div>
      ))}
    </section>
  );
}
