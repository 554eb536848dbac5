"use client";

import clsx from "clsx";
import { TargetLink } from "@/components/app/target-link.tsx";
import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { LivenessLabel } from "@/components/lock-facts/liveness-text.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { countHolds } from "@/components/lock-facts/lock-texts.ts";
import { FencingToken, LeaseBar, RemainingTime } from "@/components/lock-facts/lock-times.tsx";
import { findLatestRequest } from "@/components/lock-facts/release-request.ts";
import { ReleaseRequestMark } from "@/components/lock-facts/release-request-text.tsx";
import { describeFormat, describeFormats } from "@/components/lock-facts/use-format-texts.ts";
import { WaiterCount } from "@/components/lock-facts/waiters-text.tsx";
import { KindHolderCell } from "@/components/lock-kinds/kind-holder-cell.tsx";
import { describeKind, PART_SEPARATOR, summarizeHolders } from "@/components/lock-kinds/kind-summary.ts";
import { formatNumber } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { ColumnId } from "../columns/columns.ts";
import { HeldTimeCell } from "./held-time-cell.tsx";
import { LivenessCell } from "./liveness-cell.tsx";

interface LockCellProps {
  id: ColumnId;
  lock: Lock;
  tabIndex: number;
  /**
   * Chosen columns that do not fit. The most important values of these columns are shown on the second line of other
   * columns.
   */
  omitted: readonly ColumnId[];
}

/**
 * Shows the value of one column in a row. `data-second` marks the second line of a cell, which is hidden if the row
 * density is `dense`.
 */
export function LockCell({ id, lock, tabIndex, omitted }: LockCellProps) {
  switch (id) {
    case "key":
      return <KeyCell lock={lock} tabIndex={tabIndex} withHolder={omitted.includes("owner")} />;
    case "owner":
      return <KindHolderCell lock={lock} />;
    case "format":
      return <FormatCell lock={lock} />;
    case "count":
      return <HoldCount lock={lock} />;
    case "remaining":
      return <RemainingCell lock={lock} withLiveness={omitted.includes("attention")} />;
    case "held":
      return <HeldTimeCell lock={lock} />;
    case "attention":
      return <LivenessCell lock={lock} />;
    case "waiters":
      return <WaiterCount waiters={lock.waiters} />;
    case "fence":
      return <FencingToken holder={lock.holders[0]} />;
  }
}

function KeyCell({ lock, tabIndex, withHolder }: { lock: Lock; tabIndex: number; withHolder: boolean }) {
  const messages = useMessages(table);
  const kinds = useMessages(lockKinds);
  const [holder] = lock.holders;
  const summary = summarizeHolders(lock, kinds) ?? describeKind(lock, kinds);
  return (
    <>
      <KeyLink lock={lock} tabIndex={tabIndex} />
      {withHolder && (
        <div className="-mt-1 truncate text-2xs text-ink-3">
          <ReleaseRequestMark request={findLatestRequest(lock.holders)} />
          {holder === undefined ? messages.notHeld : lock.kind !== "latch" && <HolderName holder={holder} />}
          {lock.holders.length > 1 && messages.andMore(lock.holders.length - 1)}
          {holder !== undefined && summary !== null && `${PART_SEPARATOR}${summary}`}
        </div>
      )}
    </>
  );
}

interface KeyLinkProps {
  lock: Lock;
  tabIndex: number;
  className?: string;
}

export function KeyLink({ lock, tabIndex, className }: KeyLinkProps) {
  return (
    <TargetLink
      href={buildLockHref(lock)}
      prefetch={false}
      tabIndex={tabIndex}
      // Without this, the click would also select the row and overwrite the URL of the page that opens.
      onClick={(event) => event.stopPropagation()}
      className={clsx(
        "inline-flex max-w-full min-w-0 py-1 align-middle decoration-ink-3 hover:underline",
        className,
      )}
    >
      <KeyText text={lock.key} />
    </TargetLink>
  );
}

function FormatCell({ lock }: { lock: Lock }) {
  const messages = useMessages(lockWords);
  const { names } = useMessages(lockKinds);
  return (
    <div className="truncate leading-[1.25] text-ink-2" title={describeFormats(lock, messages)}>
      {describeFormat(lock, messages)}
      {lock.kind !== null && lock.kind !== "lock" && (
        <div data-second className="truncate text-2xs text-ink-3">
          {names[lock.kind]}
        </div>
      )}
    </div>
  );
}

function RemainingCell({ lock, withLiveness }: { lock: Lock; withLiveness: boolean }) {
  return (
    <span className="flex items-center justify-end gap-1">
      <LeaseBar lock={lock} className="w-(--lease-bar-px)" />
      {/* The figure keeps its width, and the bar shrinks. */}
      <span className={clsx("min-w-[64px] leading-[1.25]", !withLiveness && "shrink-0")}>
        <span className="block">
          <RemainingTime lock={lock} />
        </span>
        {withLiveness && <LivenessLabel lock={lock} />}
      </span>
    </span>
  );
}

/** Shows the count as `×3`, or as a dimmed 1. */
function HoldCount({ lock }: { lock: Lock }) {
  const count = countHolds(lock);
  if (count > 1) return <span className="font-semibold">{`×${formatNumber(count)}`}</span>;
  return <span className="text-ink-3">{formatNumber(count)}</span>;
}
