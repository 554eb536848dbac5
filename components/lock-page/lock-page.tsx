"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import type { ReleaseSubject } from "@/components/release/release-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { ErrorBoundary } from "@/components/ui/error-boundary.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { encodeKeyPath, type Key, parseKeyPath } from "@/lib/keys/key.ts";
import { useLockSubscription } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/live-cache.ts";
import { getReleaseObstacle } from "../lock-facts/release-text.ts";
import { BackToListLink, LockTitle } from "./lock-header.tsx";
import { LockSkeleton } from "./lock-skeleton.tsx";

const ReleaseSheet = createLazyOverlay(
  () => import("@/components/release/release-sheet.tsx").then((module) => module.ReleaseSheet),
  "idle",
);

/**
 * Loads the code of the body. The page calls this function early, so that the code loads in parallel with the state of
 * the lock.
 */
const loadLockBody = () => import("./lock-body.tsx").then((module) => module.LockBody);
const LockBody = dynamic(loadLockBody, { ssr: false, loading: () => <LockSkeleton label="" /> });
const loadLockActions = () => import("./lock-actions.tsx").then((module) => module.LockActions);
const LockActions = dynamic(loadLockActions, { ssr: false });

export function LockPage() {
  const messages = useMessages(lockPage);
  useEffect(() => {
    void loadLockBody();
    void loadLockActions();
  }, []);
  // Uses the raw path segment, because decoding would map `a%2Fb` and `a/b` to the same key.
  const segment = usePathname().slice("/locks/".length);
  const parsed = parseKeyPath(segment);
  if (!parsed.ok) {
    return (
      <EmptyState page title={messages.noKey}>
        <p>{parsed.why}</p>
        <BackToListLink />
      </EmptyState>
    );
  }
  return <LoadedLock key={segment} lockKey={parsed.key} />;
}

function LoadedLock({ lockKey }: { lockKey: Key }) {
  const messages = useMessages(lockPage);
  const parts = useMessages(shell).parts;
  const path = encodeKeyPath(lockKey);
  useLockSubscription(path);
  const lock = useLock(path);
  const history = useKeyEvents(path);
  const [releaseSubject, setReleaseSubject] = useState<ReleaseSubject | null>(null);
  const actions = useRef<HTMLDivElement>(null);
  const blocked = usePageReleaseBlockedReason(lock);
  // The dialog also opens for operators who may not release the lock. For them, it shows the details without the form.
  const openRelease = () => lock !== undefined && lock.holders.length > 0 && setReleaseSubject({ lock });
  useShortcuts({ r: openRelease });
  useCommands([{ id: "lock:free", name: messages.release, keys: "r", blocked, run: openRelease }]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StaleOverlay className="mx-auto flex max-w-[1720px] flex-col gap-3 px-3 pt-3 pb-20 sm:px-4 sm:pb-6">
        <BackToListLink />
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <LockTitle lockKey={lockKey} lock={lock} />
          <div
            ref={actions}
            className="flex gap-2 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-[calc(57px+env(safe-area-inset-bottom))] max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-panel max-sm:px-3 max-sm:py-2 max-sm:*:flex-1"
          >
            {lock !== undefined && <LockActions lock={lock} />}
            <ReleaseButton lock={lock} blocked={blocked} onFree={openRelease} />
          </div>
        </div>
        <BlockedNote lock={lock} blocked={blocked} />
        <LockBody
          lockKey={lockKey}
          lock={lock}
          history={history}
          blocked={blocked}
          onRelease={(holder) => lock !== undefined && setReleaseSubject({ lock, holder })}
        />
      </StaleOverlay>
      {releaseSubject !== null && (
        <ErrorBoundary name={parts.release} place="overlay">
          <ReleaseSheet
            lock={releaseSubject.lock}
            holder={releaseSubject.holder}
            onClose={() => setReleaseSubject(null)}
            finalFocus={() => actions.current?.querySelector<HTMLElement>("button:last-of-type") ?? null}
          />
        </ErrorBoundary>
      )}
    </div>
  );
}

interface ReleaseButtonProps {
  lock: Lock | undefined;
  blocked: string | null;
  onFree(): void;
}

/** Renders the release button. Highlights the button if the renewal is overdue or the lock has no TTL. */
function ReleaseButton({ lock, blocked, onFree }: ReleaseButtonProps) {
  const messages = useMessages(lockPage);
  const state = lock?.liveness?.state;
  const isWrong = blocked === null && (state === "overdue" || state === "no_ttl");
  return (
    <Button
      blocked={blocked}
      onClick={onFree}
      title={messages.releaseWithKey}
      className={isWrong ? "border-bad! font-medium text-bad!" : undefined}
    >
      {messages.release}
    </Button>
  );
}

/** Shows why a held lock cannot be released. The text repeats the button's tooltip, which touch screens do not show. */
function BlockedNote({ lock, blocked }: { lock: Lock | undefined; blocked: string | null }) {
  const messages = useMessages(lockPage);
  if (blocked === null || lock === undefined || lock.holders.length === 0) return null;
  return <p className="-mt-1 text-ink-2 sm:text-right">{messages.cannotRelease(blocked)}</p>;
}

function usePageReleaseBlockedReason(lock: Lock | undefined): string | null {
  const messages = useMessages(lockPage);
  const known = useMessages(lockWords);
  const block = useReleaseBlockedReason();
  if (block !== null) return block;
  if (lock === undefined || lock.holders.length === 0) return messages.nothingToRelease;
  return getReleaseObstacle(lock, known);
}
