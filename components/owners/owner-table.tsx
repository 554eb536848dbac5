"use client";

import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import Link from "next/link";
import { KeyText } from "@/components/locks/key-text.tsx";
import { hrefOf, shortOwner } from "@/components/locks/lock-facts.ts";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { Button } from "@/components/ui/button.tsx";
import { formatElapsed, formatNumber } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { visibleText } from "@/components/ui/visible-text.ts";
import type { Owner, OwnerSortField } from "@/lib/contract/owner.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/live/targets.ts";
import type { OwnersUrl } from "./use-owners-url.ts";

const HEADS: readonly (readonly [OwnerSortField, string, string])[] = [
  ["name", "Owner", "text-left pl-4"],
  ["holds", "Locks", "text-right w-20"],
  ["abnormal", "Late or without expiry", "text-right w-44 max-md:hidden"],
  ["held", "Oldest", "text-right w-28"],
  ["waiters", "Waiting", "text-right w-24 max-sm:hidden"],
];

interface OwnerTableProps {
  owners: readonly Owner[];
  url: OwnersUrl;
  blocked: string | null;
  onFree(owner: Owner, button: HTMLElement): void;
}

export function OwnerTable({ owners, url, blocked, onFree }: OwnerTableProps) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-0">
      <thead>
        <tr>
          {HEADS.map(([field, name, className]) => (
            <Head key={field} url={url} field={field} name={name} className={className} />
          ))}
          <th scope="col" className="sticky top-0 w-28 border-b border-line bg-bg">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {owners.map((owner) => (
          <OwnerRow key={owner.filter} owner={owner} blocked={blocked} onFree={onFree} />
        ))}
      </tbody>
    </table>
  );
}

interface HeadProps {
  url: OwnersUrl;
  field: OwnerSortField;
  name: string;
  className: string;
}

function Head({ url, field, name, className }: HeadProps) {
  const isSorted = url.field === field;
  const Arrow = url.isDown ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? (url.isDown ? "descending" : "ascending") : undefined}
      className={clsx("sticky top-0 h-9 border-b border-line bg-bg px-2.5 font-medium text-ink-3", className)}
    >
      <button
        type="button"
        onClick={() => url.sortBy(field)}
        className={clsx("inline-flex h-6 items-center gap-1 hover:text-ink", isSorted && "text-ink")}
      >
        {name}
        {isSorted && <Arrow aria-hidden size={12} />}
      </button>
    </th>
  );
}

const CELL = "h-10 overflow-hidden border-b border-line-soft px-2.5 whitespace-nowrap";

function OwnerRow({ owner, blocked, onFree }: Omit<OwnerTableProps, "owners" | "url"> & { owner: Owner }) {
  const { name, filter, holds, abnormal, oldest, waiters } = owner;
  const target = useTargetName();
  const now = useServerNow();
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
          {now === null ? "–" : formatElapsed(now - oldest.since)}
          <span className="sr-only">
            , <KeyText text={oldest.key} />
          </span>
        </TargetLink>
      </td>
      <td className={clsx(CELL, "text-right max-sm:hidden")}>
        {waiters.count === null ? <span className="text-ink-3">not told</span> : waiters.count || "–"}
      </td>
      <td className={clsx(CELL, "text-right")}>
        <Button
          size="small"
          blocked={blocked}
          aria-label={`Free all of ${visibleText(name)}`}
          onClick={({ currentTarget }) => onFree(owner, currentTarget)}
        >
          Free all…
        </Button>
      </td>
    </tr>
  );
}
