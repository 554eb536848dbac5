"use client";

import { ArrowRight, CornerDownLeft } from "lucide-react";
import { useId } from "react";
import { LockLink } from "@/components/lock-facts/lock-link.tsx";
import { shortenOwner } from "@/components/lock-facts/owner-text.ts";
import { formatElapsed, formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Deadlock, DeadlockWait } from "@/lib/contract/waits/waits.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { KeyFields } from "@/lib/keys/key.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { type LockToRelease, ReleaseBlockerButton } from "./release-blocker.tsx";
import { WaitTree } from "./wait-tree.tsx";

interface DeadlockCardProps {
  deadlock: Deadlock;
  onRelease(lock: LockToRelease): void;
}

/**
 * Shows the clients in the cycle of a deadlock, and the clients that wait behind the deadlock. Each client in the cycle
 * has a button that opens the release dialog of its lock, unless the lock or the client is hidden from the operator.
 */
export function DeadlockCard({ deadlock, onRelease }: DeadlockCardProps) {
  const { id, since, until, cycle, others, waiting } = deadlock;
  const messages = useMessages(waits);
  const uiMessages = useMessages(ui);
  const now = useServerNow() ?? since;
  const heading = useId();
  const clients = cycle.length + others;
  return (
    <section
      id={id}
      aria-labelledby={heading}
      className="flex scroll-mt-3 flex-col gap-2.5 rounded-[10px] border border-bad bg-panel px-4 py-3.5"
    >
      <div>
        <h2 id={heading} className="font-semibold text-bad">
          {messages.deadlock(clients, formatNumber(clients), formatElapsed(now - since, uiMessages))}
        </h2>
        <p className="text-ink-2">
          {messages.resolves(
            until === null || until <= now ? null : formatRemaining(until - now, uiMessages),
          )}
          {others > 0 && ` ${messages.others(others, formatNumber(others))}`}
        </p>
      </div>
      <ol aria-label={messages.cycle} className="flex flex-wrap gap-y-2 max-sm:flex-col max-sm:flex-nowrap">
        {cycle.map((wait, at) => (
          <CycleClient
            // biome-ignore lint/suspicious/noArrayIndexKey: clients whose locks are not readable have no name
            key={at}
            wait={wait}
            isLast={at === cycle.length - 1}
            now={now}
            onRelease={onRelease}
          />
        ))}
      </ol>
      {waiting > 0 && (
        <>
          <h3 className="text-xs font-medium text-ink-3">{messages.behindDeadlock}</h3>
          <WaitTree tree={deadlock} label={messages.behindDeadlock} />
        </>
      )}
    </section>
  );
}

interface CycleClientProps {
  wait: DeadlockWait;
  isLast: boolean;
  now: number;
  onRelease(lock: LockToRelease): void;
}

function CycleClient({ wait, isLast, now, onRelease }: CycleClientProps) {
  const messages = useMessages(waits);
  const uiMessages = useMessages(ui);
  const { owner, since } = wait;
  const held = toFields(wait.holdKey, wait.holdKeyBase64);
  const waited = toFields(wait.key, wait.keyBase64);
  const Arrow = isLast ? CornerDownLeft : ArrowRight;
  return (
    <li className="flex min-w-0 items-center max-sm:flex-col max-sm:items-stretch">
      <div className="flex max-w-72 min-w-44 flex-col gap-1 rounded-[8px] border border-bad px-3 py-2 max-sm:max-w-full">
        <span className="truncate font-medium" title={owner === null ? undefined : toVisibleText(owner)}>
          {owner === null ? (
            <span className="text-ink-3">{messages.hiddenClient}</span>
          ) : (
            <SafeText text={shortenOwner(owner)} />
          )}
        </span>
        <span className="flex min-w-0 items-center gap-1 text-ink-2">
          {messages.holds(held === null ? messages.hiddenLock : <LockLink fields={held} />)}
        </span>
        {held !== null && owner !== null && (
          <span>
            <ReleaseBlockerButton fields={held} owner={owner} holders={1} onRelease={onRelease} />
          </span>
        )}
      </div>
      <div className="flex max-w-52 min-w-0 flex-col items-center px-3 text-2xs text-ink-3 max-sm:max-w-full max-sm:items-start max-sm:py-1">
        {messages.waitsFor(
          waited === null ? <span>{messages.hiddenLock}</span> : <LockLink fields={waited} />,
          <span className="flex items-center gap-1">
            <Arrow aria-hidden size={16} className="text-bad max-sm:rotate-90" />
            {formatElapsed(now - since, uiMessages)}
          </span>,
        )}
      </div>
    </li>
  );
}

function toFields(key: string | null, keyBase64: string | undefined): KeyFields | null {
  if (key === null) return null;
  return keyBase64 === undefined ? { key } : { key, keyBase64 };
}
