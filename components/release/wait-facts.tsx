"use client";

import { TargetLink } from "@/components/app/target-link.tsx";
import { LockLink } from "@/components/lock-facts/lock-link.tsx";
import { shortenOwner } from "@/components/lock-facts/owner-text.ts";
import { formatElapsed, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { toWaitsQuery, useWaitPosition } from "@/lib/queries/waits.ts";
import { HoldFact } from "./hold-facts.tsx";

/**
 * Shows how many clients wait behind the lock. If the holder of the lock is waiting too, also shows the root blocker or
 * the deadlock. Renders nothing if no clients wait behind the lock and its holder is not waiting, if the lock is not
 * held, or while the data loads.
 */
export function WaitFacts({ lock }: { lock: Lock }) {
  const messages = useMessages(waits);
  const uiMessages = useMessages(ui);
  const position = useWaitPosition(lock);
  if (position === undefined) return null;
  const { waiting, waitedMs, root, deadlockId } = position;
  return (
    <>
      {deadlockId !== null && (
        <HoldFact name={messages.deadlockFact}>
          <span className="text-bad">{messages.inDeadlock}</span> <WaitsLink lock={lock} />
        </HoldFact>
      )}
      {root !== undefined && (
        <HoldFact name={messages.rootFact}>
          <span className="flex flex-wrap items-center gap-x-1 text-warn">
            {messages.root(<LockLink fields={root} />, <SafeText text={shortenOwner(root.owner)} wrap />)}
          </span>
          <span className="text-ink-2">{messages.rootHelp}</span>
        </HoldFact>
      )}
      {waiting > 0 && (
        <HoldFact name={messages.blocksFact}>
          {messages.blocked(waiting, formatNumber(waiting), formatElapsed(waitedMs, uiMessages))}{" "}
          <WaitsLink lock={lock} />
        </HoldFact>
      )}
    </>
  );
}

function WaitsLink({ lock }: { lock: Lock }) {
  const messages = useMessages(waits);
  return (
    <TargetLink href={`/waits?${new URLSearchParams(toWaitsQuery(lock))}`} className="text-accent underline">
      {messages.showWaits}
    </TargetLink>
  );
}
