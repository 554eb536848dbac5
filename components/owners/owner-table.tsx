"use client";

import clsx from "clsx";
import Link from "next/link";
import { TargetLink } from "@/components/app/target-link.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { formatOwner, formatUnknownOwner } from "@/components/lock-facts/owner-text.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatDate, formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { HEADER_CLASS, SortHeader } from "@/components/ui/sort-header.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Owner, OwnerSortField } from "@/lib/contract/owner.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { owners } from "@/lib/i18n/en/owners.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import type { OwnersUrl } from "./use-owners-url.ts";

/**
 * The columns and their classes. Phones hide the last three columns and show the values of two of them below the name.
 */
const COLUMN_HEADERS: readonly (readonly [OwnerSortField, className: string])[] = [
  ["name", "pl-4"],
  ["holds", "w-20"],
  ["needs_attention", "w-56 max-lg:w-40 max-sm:hidden"],
  ["held", "w-28 max-sm:hidden"],
  ["waiters", "w-24 max-sm:hidden"],
];

interface OwnerTableProps {
  owners: readonly Owner[];
  url: OwnersUrl;
  blocked: string | null;
  /**
   * Opens the dialog that releases the locks of a row.
   *
   * @param filter matches exactly the locks of the row
   */
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
              name={field === "name" ? messages.nameHeads[url.by] : messages.heads[field]}
              figure={field !== "name"}
              className={className}
              order={url.field === field ? url.order : undefined}
              onSort={() => url.sortBy(field)}
            />
          ))}
          <th scope="col" className={clsx(HEADER_CLASS, "w-28")}>
            <span className="sr-only">{actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((owner) => (
          <OwnerRow
            key={owner.filter}
            owner={owner}
            isOwnerString={url.by === "owner"}
            filter={`${owner.filter} ${url.filter}`.trim()}
            blocked={blocked}
            onRelease={onRelease}
          />
        ))}
      </tbody>
    </table>
  );
}

const CELL_CLASS = "h-10 overflow-hidden border-b border-line-soft px-2.5 whitespace-nowrap max-sm:h-14";

interface OwnerRowProps extends Pick<OwnerTableProps, "blocked" | "onRelease"> {
  owner: Owner;
  /** Whether `name` is an owner string as stored in Redis. */
  isOwnerString: boolean;
  filter: string;
}

function OwnerRow({ owner, isOwnerString, filter, blocked, onRelease }: OwnerRowProps) {
  const { name, holds, needsAttention, waiters } = owner;
  const messages = useMessages(owners);
  const shared = useMessages(lockWords);
  const target = useTargetName();
  const query = new URLSearchParams({ q: filter, ...(target === undefined ? {} : { target }) });
  const unknown = isOwnerString ? formatUnknownOwner(name, shared) : null;
  return (
    <tr className="hover:bg-bg">
      <td className={clsx(CELL_CLASS, "pl-4")} title={toVisibleText(name)}>
        <Link
          href={`/?${query}`}
          prefetch={false}
          className={clsx("block truncate hover:underline", unknown === null && "font-mono text-xs")}
        >
          <SafeText text={unknown ?? (isOwnerString ? formatOwner(name, shared) : name)} />
        </Link>
        <p className="truncate text-2xs sm:hidden">
          <AttentionReasons owner={owner} />
          {needsAttention > 0 && " · "}
          <OldestHoldTime oldest={owner.oldest} />
        </p>
      </td>
      <td className={clsx(CELL_CLASS, "text-right")}>{formatNumber(holds)}</td>
      <td className={clsx(CELL_CLASS, "text-right max-sm:hidden")}>
        {needsAttention === 0 ? <span className="text-ink-3">–</span> : <AttentionReasons owner={owner} />}
      </td>
      <td className={clsx(CELL_CLASS, "text-right max-sm:hidden")}>
        <OldestHold owner={owner} />
      </td>
      <td className={clsx(CELL_CLASS, "text-right max-sm:hidden")}>
        {waiters.count === null ? (
          <span className="text-ink-3">{messages.unknown}</span>
        ) : (
          waiters.count || <span className="text-ink-3">–</span>
        )}
      </td>
      <td className={clsx(CELL_CLASS, "text-right")}>
        <Button
          size="small"
          variant={needsAttention > 0 ? "plain" : "quiet"}
          className={clsx(
            "max-sm:h-11",
            needsAttention > 0 && blocked === null && unknown === null && "border-bad! text-bad!",
          )}
          blocked={unknown === null ? blocked : messages.noOwnerInCommon}
          aria-label={messages.releaseAllOf(toVisibleText(name))}
          onClick={({ currentTarget }) => onRelease(filter, currentTarget)}
        >
          {messages.releaseAll}
        </Button>
      </td>
    </tr>
  );
}

/**
 * Shows why locks of the owner need attention, with the number of locks per reason. The numbers add up to the number of
 * locks that need attention.
 */
function AttentionReasons({ owner: { needsAttention, liveness } }: { owner: Owner }) {
  const messages = useMessages(owners);
  const { overdue = 0, no_ttl: noTtl = 0 } = liveness;
  const unusuallyLong = Math.max(0, needsAttention - overdue - noTtl);
  const reasons = [
    overdue > 0 && messages.overdue(formatNumber(overdue)),
    noTtl > 0 && messages.noTtl(formatNumber(noTtl)),
    unusuallyLong > 0 && messages.unusuallyLong(formatNumber(unusuallyLong)),
  ].filter((reason) => reason !== false);
  const text = messages.joinReasons(reasons);
  return (
    <span title={text} className="text-bad">
      {text}
    </span>
  );
}

function OldestHold({ owner: { oldest } }: { owner: Owner }) {
  const { sinceHints } = useMessages(lockWords);
  return (
    <TargetLink
      href={buildLockHref(oldest)}
      prefetch={false}
      title={`${toVisibleText(oldest.key)}. ${sinceHints[oldest.sinceIs](formatDate(oldest.since))}`}
      className="hover:underline"
    >
      <OldestHoldTime oldest={oldest} />
      <span className="sr-only">
        {", "}
        <KeyText text={oldest.key} />
      </span>
    </TargetLink>
  );
}

/**
 * Shows how long the oldest hold has lasted. A separate component, so that a tick of the clock renders only this text.
 */
function OldestHoldTime({ oldest: { since, sinceIs } }: Pick<Owner, "oldest">) {
  const uiMessages = useMessages(ui);
  const now = useServerNow();
  if (now === null) return "–";
  return (
    <>
      {sinceIs === "at_least" && <span className="text-ink-3">≥ </span>}
      {formatElapsed(now - since, uiMessages)}
    </>
  );
}
