"use client";

import { useState } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { KeyText } from "@/components/lock-facts/key-text.tsx";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { MAIN_PART } from "@/components/ui/main-part.ts";
import { PageHeader, SECTION_PAGE_CLASS } from "@/components/ui/page-header.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import type { Waits } from "@/lib/contract/waits/waits.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { useWaits } from "@/lib/queries/waits.ts";
import { DeadlockCard } from "./deadlock-card.tsx";
import { BlockerRelease, type LockToRelease } from "./release-blocker.tsx";
import { RootBlockers } from "./root-blockers.tsx";
import { useWaitsUrl } from "./use-waits-url.ts";

/** Shows the wait-for graph: deadlocks first, then the root blockers with the clients behind them. */
export function WaitsPage() {
  const messages = useMessages(waits);
  const { lock, clear } = useWaitsUrl();
  const { data, error, refetch } = useWaits(lock);
  const [lockToRelease, setLockToRelease] = useState<LockToRelease | null>(null);
  const isDown = useLiveState().health?.state === "down";
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StaleOverlay className={SECTION_PAGE_CLASS}>
        <PageHeader title={messages.title}>{data !== undefined && <WaitCounts counts={data} />}</PageHeader>
        {lock !== undefined && (
          <div className="flex flex-wrap items-center gap-2 text-ink-2">
            <span className="flex max-w-full min-w-0 flex-wrap items-center gap-1">
              {messages.filteredBy(<KeyText text={lock.key} />)}
            </span>
            <Button size="small" onClick={clear}>
              {messages.clearFilter}
            </Button>
          </div>
        )}
        {!isDown && <ProblemNote problem={error} onAgain={() => void refetch()} />}
        {isDown && data === undefined && <p className="text-ink-3">{messages.targetDown}</p>}
        {data !== undefined && (
          <div {...MAIN_PART} className="flex flex-col gap-3">
            <WaitContent data={data} isFiltered={lock !== undefined} onRelease={setLockToRelease} />
          </div>
        )}
        {data !== undefined && data.locksLeftOut > 0 && (
          <p className="text-warn">
            {messages.locksLeftOut(data.locksLeftOut, formatNumber(data.locksLeftOut))}
          </p>
        )}
        <p className="text-ink-3">{messages.polling}</p>
      </StaleOverlay>
      {lockToRelease !== null && (
        <BlockerRelease
          key={lockToRelease.path}
          {...lockToRelease}
          onClose={() => {
            setLockToRelease(null);
            void refetch();
          }}
        />
      )}
    </div>
  );
}

function WaitCounts({ counts: { waiting, locks, deadlocks } }: { counts: Waits }) {
  const messages = useMessages(waits);
  const found = messages.deadlockCount(deadlocks.length, formatNumber(deadlocks.length));
  return (
    <>
      <span role="status">
        {deadlocks.length > 0 && (
          <span className="rounded-full border border-bad bg-bad-bg px-2 py-0.5 text-xs text-bad">
            {found}
          </span>
        )}
      </span>
      {waiting > 0 && (
        <span className="text-ink-3">
          {messages.waitingFor(waiting, formatNumber(waiting), locks, formatNumber(locks))}
        </span>
      )}
    </>
  );
}

interface WaitContentProps {
  data: Waits;
  isFiltered: boolean;
  onRelease(lock: LockToRelease): void;
}

function WaitContent({ data: { deadlocks, roots, rootsLeftOut }, isFiltered, onRelease }: WaitContentProps) {
  const messages = useMessages(waits);
  if (deadlocks.length === 0 && roots.length === 0) {
    return (
      <EmptyState title={messages.none}>
        <p>{isFiltered ? messages.noneOfLock : messages.noneHelp}</p>
      </EmptyState>
    );
  }
  return (
    <>
      {deadlocks.map((deadlock) => (
        <DeadlockCard key={deadlock.id} deadlock={deadlock} onRelease={onRelease} />
      ))}
      {roots.length > 0 && <RootBlockers roots={roots} leftOut={rootsLeftOut} onRelease={onRelease} />}
    </>
  );
}
