import clsx from "clsx";
import type { ReactNode } from "react";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { formatLivenessLines, isLivenessCritical } from "@/components/lock-facts/liveness-label.ts";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import {
  computeHeldTime,
  computeRemainingMs,
  countHolds,
  getHolderLabel,
  parseReservedHold,
} from "@/components/lock-facts/lock-texts.ts";
import { formatOwner } from "@/components/lock-facts/owner-text.ts";
import { formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { FIRST_ROWS_BOX, FIRST_ROWS_GRID } from "./first-rows-layout.ts";

export type FirstRowsMessages = Pick<Messages, "lock" | "table">;

interface FirstRowsProps {
  locks: readonly Lock[];
  messages: FirstRowsMessages;
  /** Builds the URL of a console page, including the base path and the target. */
  buildHref(path: string): string;
}

/**
 * Renders the first rows of the list on the server, so operators can read them before any script has run. Renders a
 * list instead of a table, because the rows have no actions yet. Remaining times and hold times do not update.
 */
export function FirstRows({ locks, messages, buildHref }: FirstRowsProps) {
  const { title } = messages.table;
  return (
    <section aria-label={title} className={FIRST_ROWS_BOX}>
      <FirstRowsHeader messages={messages} />
      <ul aria-label={title}>
        {locks.map((lock) => (
          <li
            key={toLockPath(lock)}
            data-first-row
            className={clsx(
              FIRST_ROWS_GRID,
              "h-[92px] items-center overflow-hidden border-b border-line-soft whitespace-nowrap sm:h-10",
            )}
          >
            <a href={buildHref(buildLockHref(lock))} className="min-w-0">
              <KeyText text={lock.key} />
            </a>
            <FirstRowFacts lock={lock} messages={messages} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FirstRowsHeader({ messages: { table } }: Pick<FirstRowsProps, "messages">) {
  const { columns } = table;
  return (
    <div
      aria-hidden
      className={clsx(
        FIRST_ROWS_GRID,
        "h-9 items-center border-b border-line bg-bg font-medium whitespace-nowrap text-ink-3 max-sm:hidden",
      )}
    >
      <span>{columns.key}</span>
      <span>{columns.owner}</span>
      <span className="text-right max-lg:hidden">{columns.count}</span>
      <span className="text-right">{columns.remaining}</span>
      <span className="text-right max-lg:hidden">{columns.held}</span>
      <span>{columns.attention}</span>
      <span className="text-right max-lg:hidden">{columns.waiters}</span>
    </div>
  );
}

function FirstRowFacts({ lock, messages }: Pick<FirstRowsProps, "messages"> & { lock: Lock }) {
  return (
    <>
      <span className="truncate max-sm:order-1 max-sm:text-ink-2">
        <HolderText lock={lock} messages={messages.lock} />
      </span>
      <span className="text-right max-lg:hidden">
        <CountText lock={lock} />
      </span>
      <span className="text-right">
        <RemainingText lock={lock} messages={messages.lock} />
      </span>
      <span className="text-right max-lg:hidden">
        <HeldText lock={lock} messages={messages.lock} />
      </span>
      <span className="truncate max-sm:order-2">
        <LivenessWord lock={lock} messages={messages.lock} />
      </span>
      <span className="text-right max-lg:hidden">
        <WaitersText lock={lock} />
      </span>
    </>
  );
}

interface FactProps {
  lock: Lock;
  messages: Messages["lock"];
}

function HolderText({ lock: { holders }, messages }: FactProps): ReactNode {
  const [holder] = holders;
  if (holder === undefined) return <span className="text-ink-3">{messages.notHeld}</span>;
  if (holders.length > 1) return messages.holders(holders.length);
  const reservation = parseReservedHold(holder.owner);
  if (reservation !== null) {
    return reservation.by === null
      ? messages.reservedMinimumHold
      : messages.reservedFor(<SafeText text={reservation.by} />);
  }
  const label = getHolderLabel(holder);
  if (label === null) {
    return (
      <span className="font-mono text-xs">
        <SafeText text={formatOwner(holder.owner, messages)} />
      </span>
    );
  }
  const who = <SafeText text={label.who} />;
  return label.where === undefined ? who : messages.onHost(who, <SafeText text={label.where} />);
}

function CountText({ lock }: { lock: Lock }) {
  const count = countHolds(lock);
  if (count <= 1) return <span className="text-ink-3">{formatNumber(count)}</span>;
  return <span className="font-semibold">{`×${formatNumber(count)}`}</span>;
}

function RemainingText({ lock, messages }: FactProps): ReactNode {
  const remainingMs = computeRemainingMs(lock, null);
  if (lock.state === "ended") return <span className="text-ink-3">{messages.ended}</span>;
  if (remainingMs === null)
    return <span className={lock.unlisted ? "text-ink-3" : "text-bad"}>{messages.noTtl}</span>;
  if (remainingMs === 0) return <span className="text-ink-3">{messages.expiring}</span>;
  return formatRemaining(remainingMs, messages);
}

function HeldText({ lock, messages }: FactProps): ReactNode {
  const [holder] = lock.holders;
  if (holder === undefined) return null;
  const held = computeHeldTime(holder, lock.asOf);
  if (held === null) return <span className="text-ink-3">{messages.unknown}</span>;
  return `${held.atLeast ? "≥ " : ""}${formatElapsed(held.ms, messages)}`;
}

function LivenessWord({ lock, messages }: FactProps): ReactNode {
  const { liveness, state, asOf } = lock;
  if (liveness === null || state !== "held") return null;
  return (
    <span className={isLivenessCritical(lock) ? "text-bad" : "text-ink-3"}>
      {formatLivenessLines(liveness, asOf, messages).word}
    </span>
  );
}

function WaitersText({ lock: { waiters } }: { lock: Lock }): ReactNode {
  const { count, known } = waiters;
  if (count === null || (count === 0 && known !== "exact")) {
    return <span className="text-ink-3">{known === "unknown" ? "–" : "0"}</span>;
  }
  return (
    <span className={count > 0 ? "text-warn" : undefined}>
      {`${known === "exact" ? "" : "≥ "}${formatNumber(count)}`}
    </span>
  );
}
