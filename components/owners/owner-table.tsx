"use client";

import clsx from "clsx";
import Link from "next/link";
import { TargetLink } from "@/components/app/target-link.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { hrefOf } from "@/components/lock-facts/lock-path.ts";
import { shortOwner } from "@/components/lock-facts/lock-texts.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { HEAD, SortHead } from "@/components/ui/sort-header.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Owner, OwnerSortField } from "@/lib/contract/owner.ts";
import { owners } from "@/lib/i18n/en/owners.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import type { OwnersUrl } from "./use-owners-url.ts";

const HEADS: readonly (readonly [OwnerSortField, className: string])[] = [
  ["name", "pl-4"],
  ["holds", "w-20 max-sm:w-14"],
  ["abnormal", "w-44 max-md:hidden"],
  ["held", "w-28 max-sm:w-22"],
  ["waiters", "w-24 max-sm:hidden"],
];

interface OwnerTableProps {
  owners: readonly Owner[];
  url: OwnersUrl;
  blocked: string | null;
  /** @param filter finds those of its locks that its row counts */
  onFree(filter: string, button: HTMLElement): void;
}

export function OwnerTable({ owners: items, url, blocked, onFree }: OwnerTableProps) {
  const words = useWords(owners);
  const { actions } = useWords(ui);
  return (
    <table className="w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr>
          {HEADS.map(([field, className]) => (
            <SortHead
              key={field}
              name={words.heads[field]}
              figure={field !== "name"}
              className={className}
              order={url.field === field ? url.order : undefined}
              onSort={() => url.sortBy(field)}
            />
          ))}
          <th scope="col" className={clsx(HEAD, "w-28 max-sm:w-24")}>
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
            onFree={onFree}
          />
        ))}
      </tbody>
    </table>
  );
}

const CELL = "h-10 overflow-hidden border-b border-line-soft px-2.5 whitespace-nowrap";

interface OwnerRowProps extends Pick<OwnerTableProps, "blocked" | "onFree"> {
  owner: Owner;
  filter: string;
}

function OwnerRow({ owner, filter, blocked, onFree }: OwnerRowProps) {
  const { name, holds, abnormal, oldest, waiters } = owner;
  const words = useWords(owners);
  const target = useTargetName();
  const query = new URLSearchParams({ q: filter, ...(target === undefined ? {} : { target }) });
  return (
    <tr className="hover:bg-bg">
      <td className={clsx(CELL, "pl-4")} title={visibleText(name)}>
        <Link
          href={`/?${query}`}
          prefetch={false}
          className="block truncate font-mono text-xs hover:underline"
        >
          <SafeText text={shortOwner(name)} />
        </Link>
      </td>
      <td className={clsx(CELL, "text-right")}>{formatNumber(holds)}</td>
      <td className={clsx(CELL, "text-right max-md:hidden", abnormal > 0 && "text-bad")}>
        {abnormal === 0 ? "–" : formatNumber(abnormal)}
      </td>
      <td className={clsx(CELL, "text-right")}>
        <TargetLink
          href={hrefOf(oldest)}
          prefetch={false}
          title={visibleText(oldest.key)}
          className="hover:underline"
        >
          <HeldSince at={oldest.since} />
          <span className="sr-only">
            {", "}
            <KeyText text={oldest.key} />
          </span>
        </TargetLink>
      </td>
      <td className={clsx(CELL, "text-right max-sm:hidden")}>
        {waiters.count === null ? <span className="text-ink-3">{words.notTold}</span> : waiters.count || "–"}
      </td>
      <td className={clsx(CELL, "text-right")}>
        <Button
          size="small"
          blocked={blocked}
          aria-label={words.freeAllOf(visibleText(name))}
          onClick={({ currentTarget }) => onFree(filter, currentTarget)}
        >
          {words.freeAll}
        </Button>
      </td>
    </tr>
  );
}

/** Apart from its row: only what shows a time is drawn with each tick. */
function HeldSince({ at }: { at: number }) {
  const now = useServerNow();
  return now === null ? "–" : formatElapsed(now - at);
}
