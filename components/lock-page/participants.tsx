"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { INPUT_CLASS } from "@/components/ui/field.tsx";
import { formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useServerNow } from "@/lib/live/hooks.ts";
import { HolderName, hasHolderName } from "../lock-facts/holder-text.tsx";
import { computeSubjectRemainingMs, formatHolder } from "../lock-facts/lock-texts.ts";
import { HeldFor } from "../lock-facts/lock-times.tsx";
import { shortenOwner } from "../lock-facts/owner-text.ts";
import { PART_SEPARATOR } from "../lock-kinds/kind-summary.ts";
import { HolderFacts } from "./holder-facts.tsx";

const SHOWN_STEP = 20;

interface ParticipantsProps {
  lock: Lock;
  /** Called to release one holder; `undefined` if the holders of the lock cannot be released separately. */
  onRelease?: ((holder: Holder) => void) | undefined;
  blocked: string | null;
}

/**
 * Lists the holders of a lock that has several holders. Each row shows the holder's lease and, if holders can be
 * released separately, a button that releases only that holder.
 */
export function Participants({ lock, onRelease, blocked }: ParticipantsProps) {
  const messages = useMessages(lockKinds);
  const [filter, setFilter] = useState("");
  const [limit, setLimit] = useState(SHOWN_STEP);
  const { holders, kind } = lock;
  const matching = filter === "" ? holders : holders.filter((holder) => matchesText(holder, filter));
  const shown = matching.slice(0, limit);
  const rest = matching.length - shown.length;
  const title =
    kind === "read"
      ? messages.participants.readers
      : kind === "write"
        ? messages.participants.writer
        : messages.participants.holders;
  return (
    // Not a section, because the surrounding section is already a landmark.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-label={title} data-testid="participants" className="border-t border-line-soft">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3 pb-1">
        <h3 className="font-semibold">{messages.participantsCount(title, formatNumber(holders.length))}</h3>
        {holders.length > SHOWN_STEP && (
          <input
            type="search"
            aria-label={messages.filter}
            placeholder={messages.filter}
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
            className={`${INPUT_CLASS} max-w-56`}
          />
        )}
      </div>
      {kind === "read" && <p className="px-4 pb-1 text-2xs text-ink-3">{messages.sharedFence}</p>}
      <ul className="px-4 pb-2">
        {shown.map((holder) => (
          <Participant key={holder.version} {...{ lock, holder, onRelease, blocked }} />
        ))}
      </ul>
      {matching.length === 0 && <p className="px-4 pb-3 text-ink-3">{messages.noMatch}</p>}
      {rest > 0 && (
        <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
          <Button size="small" onClick={() => setLimit(limit + 5 * SHOWN_STEP)}>
            {messages.showMore(formatNumber(Math.min(rest, 5 * SHOWN_STEP)))}
          </Button>
          <span className="text-2xs text-ink-3">
            {messages.shown(formatNumber(shown.length), formatNumber(matching.length))}
          </span>
        </div>
      )}
    </div>
  );
}

function matchesText({ owner, record }: Holder, text: string): boolean {
  const wanted = text.toLowerCase();
  return [owner, record?.service, record?.host, record?.purpose].some((each) =>
    each?.toLowerCase().includes(wanted),
  );
}

interface ParticipantProps extends ParticipantsProps {
  holder: Holder;
}

function Participant({ lock, holder, onRelease, blocked }: ParticipantProps) {
  const messages = useMessages(lockKinds);
  const words = useMessages(lockWords);
  const [isOpen, setOpen] = useState(false);
  const who = toVisibleText(formatHolder(holder, words));
  return (
    <li className="border-b border-line-soft py-1.5 last:border-0" data-owner={holder.owner}>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1">
        <span className="min-w-0 leading-[1.3]">
          <span className="block truncate" title={toVisibleText(holder.owner)}>
            <HolderName holder={holder} />
          </span>
          <span className="block truncate text-2xs text-ink-3">
            <ParticipantDetail lock={lock} holder={holder} />
          </span>
        </span>
        {onRelease !== undefined && (
          <Button
            size="small"
            blocked={blocked}
            aria-label={messages.releaseOf(who)}
            onClick={() => onRelease(holder)}
          >
            {messages.release}
          </Button>
        )}
      </div>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary
          aria-label={messages.detailsOf(who)}
          className="inline-block min-h-6 cursor-pointer text-2xs text-ink-3"
        >
          {messages.details}
        </summary>
        {isOpen && <HolderFacts lock={lock} holder={holder} blocked={blocked} />}
      </details>
    </li>
  );
}

/** Shows the permits or the count, the hold time and the lease of one holder. */
function ParticipantDetail({ lock, holder }: Pick<ParticipantProps, "lock" | "holder">) {
  const messages = useMessages(lockKinds);
  const { heldFor } = messages;
  const { count } = holder;
  const role = lock.kind === "write" ? holder.role : undefined;
  return (
    <>
      {lock.kind === "semaphore" && <>{messages.permitCount(count, formatNumber(count))} · </>}
      {lock.kind !== "semaphore" && count > 1 && <>{`×${formatNumber(count)}`} · </>}
      {role !== undefined && <>{messages.names[role]} · </>}
      {heldFor(<HeldFor holder={holder} />)}
      {PART_SEPARATOR}
      <ParticipantLease lock={lock} holder={holder} />
      {hasHolderName(holder) && (
        <span className="font-mono">
          {PART_SEPARATOR}
          <SafeText text={shortenOwner(holder.owner)} />
        </span>
      )}
    </>
  );
}

function ParticipantLease({ lock, holder }: Pick<ParticipantProps, "lock" | "holder">) {
  const messages = useMessages(lockKinds);
  const words = useMessages(lockWords);
  const now = useServerNow() ?? lock.asOf;
  const left = computeSubjectRemainingMs(lock, holder, now);
  if (left === null) return <span className="text-bad">{messages.noTtl}</span>;
  return left > 0 ? messages.expiresIn(formatRemaining(left, words)) : messages.expired;
}
