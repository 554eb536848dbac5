"use client";

import clsx from "clsx";
import { formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock, Waiters } from "@/lib/contract/lock.ts";
import type { LockWaiter, LockWaiters } from "@/lib/contract/waiters.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useWaiters } from "@/lib/queries/waiters.ts";
import { toLockPath } from "../lock-facts/lock-path.ts";
import { shortenOwner } from "../lock-facts/owner-text.ts";

type WaiterMessages = typeof lockParts.waiting;

const SHOWN_WAITERS_MAX = 20;
/** Maximum number of placeholder rows to show while the waiters load. */
const PLACEHOLDER_ROWS_MAX = 8;

/** Lists the waiters of a lock. Also describes in which order they acquire the lock and how certain that order is. */
export function LockWaitersSection({ lock }: { lock: Lock }) {
  const messages = useMessages(lockParts).waiting;
  const { count, known } = lock.waiters;
  const { data, error, refetch } = useWaiters(toLockPath(lock), count);
  if (!count && lock.state === "free") return null;
  if (!count) return <NoWaiters waiters={lock.waiters} messages={messages} />;
  return (
    <Section
      title={messages.title(`${known === "exact" ? "" : "≥ "}${formatNumber(count)}`)}
      text={data !== undefined && <QueueOrder answer={data} messages={messages} />}
    >
      {error !== null && (
        <div className="px-4 py-3">
          <ProblemNote problem={error} onAgain={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && (
        <div aria-hidden style={{ height: `${Math.min(count, PLACEHOLDER_ROWS_MAX) * 32 + 16}px` }} />
      )}
      {data !== undefined && <WaiterQueue answer={data} messages={messages} isFair={lock.kind === "fair"} />}
    </Section>
  );
}

/** Shows a line for a lock without known waiters: there are none, or waiters are not visible. */
function NoWaiters({ waiters: { known }, messages }: { waiters: Waiters; messages: WaiterMessages }) {
  const text = {
    exact: messages.noWaiters,
    estimated: messages.noSubscriber,
    unknown: messages.noneVisible,
  }[known];
  return (
    <Section
      title={messages.titleNone}
      text={
        <>
          {text} {known === "unknown" ? messages.known[known] : ""}
        </>
      }
    />
  );
}

function QueueOrder({ answer, messages }: { answer: LockWaiters; messages: WaiterMessages }) {
  const { orders } = useMessages(lockWords).next;
  const { order, waiters, named } = answer;
  const texts = {
    ...messages.orders,
    queue: orders.first_in_queue,
    first_come: orders.longest_waiting,
  };
  return (
    <>
      {named > 0 && `${texts[order]} `}
      {messages.known[waiters.known]}
    </>
  );
}

function WaiterQueue({
  answer: { items, named, waiters },
  messages,
  isFair,
}: {
  answer: LockWaiters;
  messages: WaiterMessages;
  isFair: boolean;
}) {
  const shown = items.slice(0, SHOWN_WAITERS_MAX);
  const hidden = named - shown.length;
  const unnamed = (waiters.count ?? 0) - named;
  return (
    <div className="px-4 py-2">
      <ol>
        {shown.map((waiter, at) => (
          <WaiterRow
            // biome-ignore lint/suspicious/noArrayIndexKey: one owner may wait twice at the same moment
            key={`${waiter.owner} ${waiter.since} ${at}`}
            waiter={waiter}
            messages={messages}
            isFair={isFair}
          />
        ))}
      </ol>
      {hidden > 0 && <p className="py-1 text-ink-3">{messages.notShown(formatNumber(hidden))}</p>}
      {unnamed > 0 && <p className="py-1 text-ink-3">{messages.unnamed(formatNumber(unnamed))}</p>}
    </div>
  );
}

function WaiterRow({
  waiter: { owner, by, place, since, until },
  messages,
  isFair,
}: {
  waiter: LockWaiter;
  messages: WaiterMessages;
  /**
   * Whether the lock is fair. In a fair lock, a crashed waiter blocks the waiters behind it until its heartbeat
   * expires.
   */
  isFair: boolean;
}) {
  const kinds = useMessages(lockKinds);
  const uiMessages = useMessages(ui);
  const now = useServerNow();
  const left = until === null || now === null ? null : until - now;
  const ends = by === "library" ? messages.untilDead : messages.until;
  return (
    <li className="grid min-h-8 grid-cols-[44px_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line-soft py-1 last:border-0 sm:grid-cols-[44px_minmax(0,1fr)_120px_150px]">
      <span className={clsx("whitespace-nowrap", place === 1 ? "font-semibold" : "text-ink-3")}>
        {place === 1 ? (
          messages.next
        ) : place === null ? (
          <>
            <span aria-hidden>–</span>
            <span className="sr-only">{messages.noPlace}</span>
          </>
        ) : (
          messages.place(place)
        )}
      </span>
      <span className="min-w-0 leading-[1.3]">
        <span className="block truncate font-mono text-xs" title={toVisibleText(owner)}>
          <SafeText text={shortenOwner(owner)} />
        </span>
        <span className="block text-2xs text-ink-3">
          {by === "lockkeeper" ? messages.byLockkeeper : messages.byLibrary}
          {isFair && by === "lockkeeper" && <span className="block">{kinds.ourCost}</span>}
          {isFair && by === "library" && left !== null && left > 0 && (
            <span className="block text-warn">{kinds.deadCost(formatRemaining(left, uiMessages))}</span>
          )}
        </span>
      </span>
      <span className="text-right whitespace-nowrap">
        {since === null || now === null ? (
          <span className="text-2xs text-ink-3">{messages.sinceUnknown}</span>
        ) : (
          messages.since(formatElapsed(now - since, uiMessages))
        )}
      </span>
      <span className="text-right text-xs whitespace-nowrap text-ink-3 max-sm:col-span-2 max-sm:col-start-2">
        {left !== null &&
          !(isFair && by === "library" && left > 0) &&
          (left > 0 ? ends(formatRemaining(left, uiMessages)) : messages.untilOver)}
      </span>
    </li>
  );
}
