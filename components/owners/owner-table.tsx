"use client";

import clsx from "clsx";
import Link from "next/link";
import { TargetLink } from "@/components/app/target-link.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { shortenOwner } from "@/components/lock-facts/lock-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { HEADER_CLASS, SortHeader } from "@/components/ui/sort-header.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Owner, OwnerSortField } from "@/lib/contract/owner.ts";
import { owners } from "@/lib/i18n/en/owners.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import type { OwnersUrl } from "./use-owners-url.ts";

const COLUMN_HEADERS: readonly (readonly [OwnerSortField, className: string])[] = [
  ["name", "pl-4"],
  ["holds", "w-20 max-sm:w-14"],
  ["needs_attention", "w-44 max-md:hidden"],
  ["held", "w-28 max-sm:w-22"],
  ["waiters", "w-24 max-sm:hidden"],
];

interface OwnerTableProps {
  owners: readonly Owner[];
  url: OwnersUrl;
  blocked: string | null;
  /** @param filter finds those of its locks that its row counts */
  onRelease(filter: string, button: HTMLElement): void;
}

export function OwnerTable({ owners: items, url, blocked, onRelease }: OwnerTableProps) {
  const messages = useMessages(owners);
  const { actions } = useMessages(ui);
  return (
    <table className="w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr>
          {COLUMN_HEADERS.map(([field, className]) => (
            <SortHeader
              key={field}
              name={messages.heads[field]}
              figure={field !== "name"}
              className={className}
              order={url.field === field ? url.order : undefined}
              onSort={() => url.sortBy(field)}
            />
          ))}
          <th scope="col" className={clsx(HEADER_CLASS, "w-28 max-sm:w-24")}>
            <span className="sr-only">{actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((owner) => (
          <OwnerRow
            key={owner.filter}
            owner={owner}
            filter={`${owner.filter} ${url.filter}`.trim()}
            blocked={blocked}
            onRelease={onRelease}
          />
        ))}
      </tbody>
    </table>
  );
}

const CELL_CLASS = "h-10 overflow-hidden border-b border-line-soft px-2.5 whitespace-nowrap";

interface OwnerRowProps extends Pick<OwnerTableProps, "blocked" | "onRelease"> {
  owner: Owner;
  filter: string;
}

function OwnerRow({ owner, filter, blocked, onRelease }: OwnerRowProps) {
  const { name, holds, needsAttention, oldest, waiters } = owner;
  const messages = useMessages(owners);
  const target = useTargetName();
  const query = new URLSearchParams({ q: filter, ...(target === undefined ? {} : { target }) });
  return (
    <tr className="hover:bg-bg">
      <td className={clsx(CELL_CLASS, "pl-4")} title={toVisibleText(name)}>
        <Link
          href={`/?${query}`}
          prefetch={false}
          className="block truncate font-mono text-xs hover:underline"
        >
          <SafeText text={shortenOwner(name)} />
        </Link>
      </td>
      <td className={clsx(CELL_CLASS, "text-right")}>{formatNumber(holds)}</td>
      <td className={clsx(CELL_CLASS, "text-right max-md:hidden", needsAttention > 0 && "text-bad")}>
        {needsAttention === 0 ? "–" : formatNumber(needsAttention)}
      </td>
      <td className={clsx(CELL_CLASS, "text-right")}>
        <TargetLink
          href={buildLockHref(oldest)}
          prefetch={false}
          title={toVisibleText(oldest.key)}
          className="hover:underline"
        >
          <OldestHold at={oldest.since} />
          <span className="sr-only">
            {", "}
            <KeyText text={oldest.key} />
          </span>
        </TargetLink>
      </td>
      <td className={clsx(CELL_CLASS, "text-right max-sm:hidden")}>
        {waiters.count === null ? (
          <span className="text-ink-3">{messages.notTold}</span>
        ) : (
          waiters.count || "–"
        )}
      </td>
      <td className={clsx(CELL_CLASS, "text-right")}>
        <Button
          size="small"
          blocked={blocked}
          aria-label={messages.freeAllOf(toVisibleText(name))}
          onClick={({ currentTarget }) => onRelease(filter, currentTarget)}
        >
          {messages.freeAll}
        </Button>
      </td>
    </tr>
  );
}

/** Apart from its row: only what shows a time is drawn with each tick. */
function OldestHold({ at }: { at: number }) {
  const now = useServerNow();
  return now === null ? "–" : formatElapsed(now - at);
}
