"use client";

import type { KeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { formatHoldEnding } from "@/components/events/text/event-text.ts";
import { formatAgo } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { LockEvent } from "@/lib/contract/event.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { events } from "@/lib/i18n/en/events.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { formatReservedHold, parseReservedHold } from "../lock-facts/lock-texts.ts";
import { formatUnknownOwner } from "../lock-facts/owner-text.ts";
import { VotesText } from "../lock-facts/votes-text.tsx";
import { formatWaiterCount } from "../lock-facts/waiters-text.tsx";

/** Shows the state of a lock without holders, such as how its last hold ended or why its key cannot be read. */
export function UnheldLock({ lock, history }: { lock: Lock; history: KeyEvents }) {
  const messages = useMessages(lockPage);
  const shared = useMessages(lockWords);
  const { waiters, votes, unreadable } = lock;
  const isVotedOn = votes !== undefined && (votes.owners.length > 0 || votes.state === "undecided");
  const { ending, events, complete, loading, failed } = history;
  const isNeverSeen = unreadable === undefined && events.length === 0 && complete && !loading && !failed;
  return (
    <div className="flex min-h-20 flex-col gap-1 px-4 py-3.5" data-testid="free">
      <p className="text-[20px] leading-7 font-semibold tracking-tight">
        {unreadable !== undefined
          ? messages.unreadable[unreadable]
          : isNeverSeen
            ? messages.neverSeen
            : messages.notHeld}
      </p>
      {unreadable !== undefined && <p className="max-w-[76ch] text-warn">{messages.unreadableHelp}</p>}
      {isNeverSeen && <p className="max-w-[76ch] text-ink-2">{messages.neverSeenHelp}</p>}
      {waiters.count !== null && waiters.count > 0 && (
        <p className="text-warn">{formatWaiterCount(waiters, shared)}</p>
      )}
      {isVotedOn && (
        <p className="text-ink-2" data-testid="votes">
          {messages.votesWithoutHolder(<VotesText lock={lock} votes={votes} />)}
        </p>
      )}
      {ending !== undefined && <LastHoldText ending={ending} />}
    </div>
  );
}

function LastHoldText({ ending }: { ending: LockEvent }) {
  const messages = useMessages(lockPage);
  const eventMessages = useMessages(events);
  const shared = useMessages(lockWords);
  const now = useServerNow();
  return (
    <p className="text-base text-ink-2">
      {messages.lastHold(
        ending.owner === undefined ? null : <LastOwnerText owner={ending.owner} />,
        formatHoldEnding(ending, eventMessages),
        now === null ? null : formatAgo(now - ending.at, shared),
        ending.reason ? <SafeText text={ending.reason} wrap /> : null,
      )}
    </p>
  );
}

function LastOwnerText({ owner }: { owner: string }) {
  const shared = useMessages(lockWords);
  const reservation = parseReservedHold(owner);
  if (reservation !== null)
    return <SafeText text={shared.theReservation(formatReservedHold(reservation, shared))} wrap />;
  const unknown = formatUnknownOwner(owner, shared);
  if (unknown !== null) return <SafeText text={unknown} wrap />;
  return (
    <span className="font-mono text-xs">
      <SafeText text={owner} wrap />
    </span>
  );
}
