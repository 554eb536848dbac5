"use client";

import dynamic from "next/dynamic";
import { KeyHistory } from "@/components/events/key-history/key-history.tsx";
import type { KeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { encodeKeyPath, type Key } from "@/lib/keys/key.ts";
import { NoteText } from "../lock-facts/note-text.tsx";
import { findLatestRequest } from "../lock-facts/release-request.ts";
import { RequestAnnouncement } from "../lock-facts/release-request-text.tsx";
import { RunbookLink } from "../lock-facts/runbook-link.tsx";
import { LockSkeleton } from "./lock-skeleton.tsx";
import { LockState } from "./lock-state.tsx";
import { LockTimeline } from "./lock-timeline.tsx";
import { LockWaitersSection } from "./lock-waiters.tsx";
import { StateAnnouncement } from "./state-sentence.tsx";
import { TypicalDurationSection } from "./typical-duration-section.tsx";

const OwnerLocksSection = dynamic(
  () => import("./owner-locks.tsx").then((module) => module.OwnerLocksSection),
  {
    ssr: false,
  },
);
const RawLockView = dynamic(() => import("./raw-lock.tsx").then((module) => module.RawLockSection), {
  ssr: false,
});

interface LockBodyProps {
  lockKey: Key;
  lock: Lock | undefined;
  history: KeyEvents;
  blocked: string | null;
  onRelease(holder: Holder): void;
}

/** Shows the sections of a lock's page. Each section has its own error boundary. */
export function LockBody({ lockKey, lock, history, blocked, onRelease }: LockBodyProps) {
  const { parts } = useMessages(lockPage);
  return (
    <>
      <LockNotes lock={lock} />
      <div className="grid items-start gap-4 min-[1200px]:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <StateAnnouncement lock={lock} />
          <RequestAnnouncement request={findLatestRequest(lock?.holders ?? [])} />
          <ErrorBoundary name={parts.now}>
            {lock === undefined ? (
              <LockSkeleton label={parts.now} />
            ) : (
              <LockState lock={lock} history={history} blocked={blocked} onRelease={onRelease} />
            )}
          </ErrorBoundary>
          {lock !== undefined && (
            <ErrorBoundary name={parts.waiting}>
              <LockWaitersSection lock={lock} />
            </ErrorBoundary>
          )}
          <ErrorBoundary name={parts.owner}>
            <OwnerLocksSection lock={lock} focusAfter={() => document.getElementById("lock-title")} />
          </ErrorBoundary>
          {lock !== undefined && (
            <ErrorBoundary name={parts.typical}>
              <TypicalDurationSection lock={lock} />
            </ErrorBoundary>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ErrorBoundary name={parts.timeline}>
            <LockTimeline path={encodeKeyPath(lockKey)} lock={lock} history={history} />
          </ErrorBoundary>
          <ErrorBoundary name={parts.events}>
            <KeyHistory history={history} />
          </ErrorBoundary>
          <ErrorBoundary name={parts.raw}>
            <RawLockView lockKey={lockKey} type={lock?.type ?? null} />
          </ErrorBoundary>
        </div>
      </div>
    </>
  );
}

/** Shows the link to the runbook of the key pattern, and the note about the lock. */
function LockNotes({ lock }: { lock: Lock | undefined }) {
  if (lock?.note === undefined && lock?.runbook === undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <RunbookLink url={lock.runbook} />
      {lock.note !== undefined && <NoteText note={lock.note} />}
    </div>
  );
}
