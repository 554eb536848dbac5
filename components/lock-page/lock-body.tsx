"use client";

import dynamic from "next/dynamic";
import { KeyHistory } from "@/components/events/key-history/key-history.tsx";
import type { KeyEvents } from "@/components/events/key-history/use-key-events.ts";
import { KeyTimeline } from "@/components/events/timeline/key-timeline.tsx";
import { Boundary } from "@/components/ui/error-boundary.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import type { Key } from "@/lib/keys/key.ts";
import { NoteText } from "../lock-facts/note-text.tsx";
import { RunbookLink } from "../lock-facts/runbook-link.tsx";
import { LockSkeleton } from "./lock-skeleton.tsx";
import { LockNow } from "./lock-state.tsx";
import { LockWaitersView } from "./lock-waiters.tsx";
import { SpokenState } from "./state-sentence.tsx";
import { UsualSection } from "./typical-duration-section.tsx";

const OwnersLocks = dynamic(() => import("./owner-locks.tsx").then((module) => module.OwnersLocks), {
  ssr: false,
});
const RawLockView = dynamic(() => import("./raw-lock.tsx").then((module) => module.RawLockView), {
  ssr: false,
});

interface LockBodyProps {
  lockKey: Key;
  lock: Lock | undefined;
  history: KeyEvents;
  blocked: string | null;
  onFree(holder: Holder): void;
}

/** What is now, and beside it or below what was: each part by itself, so that one that breaks leaves the rest. */
export function LockBody({ lockKey, lock, history, blocked, onFree }: LockBodyProps) {
  const { parts } = useWords(lockPage);
  return (
    <>
      <Beside lock={lock} />
      <div className="grid items-start gap-4 min-[1600px]:grid-cols-[minmax(0,11fr)_minmax(0,10fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <SpokenState lock={lock} />
          <Boundary name={parts.now}>
            {lock === undefined ? (
              <LockSkeleton label={parts.now} />
            ) : (
              <LockNow lock={lock} history={history} blocked={blocked} onFree={onFree} />
            )}
          </Boundary>
          {lock !== undefined && (
            <Boundary name={parts.waiting}>
              <LockWaitersView lock={lock} />
            </Boundary>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Boundary name={parts.timeline}>
            <KeyTimeline history={history} kind={lock?.kind ?? null} />
          </Boundary>
          {lock !== undefined && (
            <Boundary name={parts.usual}>
              <UsualSection lock={lock} />
            </Boundary>
          )}
          <Boundary name={parts.owner}>
            <OwnersLocks lock={lock} focusAfter={() => document.getElementById("lock-title")} />
          </Boundary>
          <Boundary name={parts.events}>
            <KeyHistory history={history} />
          </Boundary>
          <Boundary name={parts.raw}>
            <RawLockView lockKey={lockKey} type={lock?.type ?? null} />
          </Boundary>
        </div>
      </div>
    </>
  );
}

/** What people wrote: the runbook of such locks, and a note about this one. */
function Beside({ lock }: { lock: Lock | undefined }) {
  if (lock?.note === undefined && lock?.runbook === undefined) return null;
  return (
    <div className="flex flex-col gap-2">
      <RunbookLink url={lock.runbook} />
      {lock.note !== undefined && <NoteText note={lock.note} />}
    </div>
  );
}
