"use client";

import { ChevronLeft } from "lucide-react";
import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { type KeyEvents, useKeyEvents } from "@/components/events/use-key-events.ts";
import type { Looked } from "@/components/free/free-state.ts";
import { Greyed } from "@/components/shell/greyed.tsx";
import { TargetLink } from "@/components/shell/target-link.tsx";
import { useFreeBlock } from "@/components/shell/use-block.ts";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";
import { type Key, keyOfPath, pathOfKey, textOfKey } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { useShowLock } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/pictures.ts";
import { curlCommand, redisCliCommand } from "./commands.ts";
import { neverFreed, splitKey } from "./lock-facts.ts";
import { NoteText } from "./note-text.tsx";

const FreeSheet = dynamic(
  () => import("@/components/free/free-sheet.tsx").then((module) => module.FreeSheet),
  {
    ssr: false,
  },
);

/** What is known of a lock comes later than its page: what shows it is on its way while it is. */
const loadNow = () => import("./lock-now.tsx").then((module) => module.LockNow);
const LockNow = dynamic(loadNow, { ssr: false, loading: () => <Looking /> });
const loadActions = () => import("./lock-actions.tsx").then((module) => module.LockActions);
const LockActions = dynamic(loadActions, { ssr: false });
const OwnersLocks = dynamic(() => import("./owner-locks.tsx").then((module) => module.OwnersLocks), {
  ssr: false,
});
const KeyTimeline = dynamic(
  () => import("@/components/events/key-timeline.tsx").then((module) => module.KeyTimeline),
  { ssr: false },
);
const KeyHistory = dynamic(
  () => import("@/components/events/key-history.tsx").then((module) => module.KeyHistory),
  { ssr: false },
);
const RawLockView = dynamic(() => import("./raw-lock.tsx").then((module) => module.RawLockView), {
  ssr: false,
});

export function LockPage() {
  useEffect(() => {
    void loadNow();
    void loadActions();
  }, []);
  // The raw segment: a decoded one could not tell `a%2Fb` from `a/b`.
  const segment = usePathname().slice("/locks/".length);
  const parsed = keyOfPath(segment);
  if (!parsed.ok) {
    return (
      <EmptyState page title="This address names no key">
        <p>{parsed.why}</p>
        <Back />
      </EmptyState>
    );
  }
  return <OneLock key={segment} lockKey={parsed.key} />;
}

function OneLock({ lockKey }: { lockKey: Key }) {
  const path = pathOfKey(lockKey);
  useShowLock(path);
  const lock = useLock(path);
  const keyEvents = useKeyEvents(path);
  const [freeing, setFreeing] = useState<Looked | null>(null);
  const freeButton = useRef<HTMLDivElement>(null);
  const blocked = useFreeBlocked(lock);
  const free = () => blocked === null && lock !== undefined && setFreeing({ lock });
  useKeys({ r: free });
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Greyed className="mx-auto flex max-w-[1080px] flex-col gap-4 px-3 py-4 sm:px-5">
        <Back />
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <Title lockKey={lockKey} />
          <div ref={freeButton} className="flex flex-wrap gap-2">
            <Copies lockKey={lockKey} type={lock?.type ?? null} />
            {lock !== undefined && <LockActions lock={lock} />}
            <Button blocked={blocked} onClick={free} title="Free… (r)">
              Free…
            </Button>
          </div>
        </div>
        {lock?.note !== undefined && <NoteText note={lock.note} />}
        <Picture lock={lock} keyEvents={keyEvents} blocked={blocked} onFree={setFreeing} />
        <OwnersLocks lock={lock} />
        <KeyTimeline history={keyEvents} kind={lock?.kind ?? null} />
        <KeyHistory history={keyEvents} />
        <RawLockView lockKey={lockKey} type={lock?.type ?? null} />
      </Greyed>
      {freeing !== null && (
        <FreeSheet
          lock={freeing.lock}
          holder={freeing.holder}
          onClose={() => setFreeing(null)}
          finalFocus={() => freeButton.current?.querySelector<HTMLElement>("button:last-of-type") ?? null}
        />
      )}
    </div>
  );
}

interface PictureProps {
  lock: Lock | undefined;
  keyEvents: KeyEvents;
  blocked: string | null;
  onFree(looked: Looked): void;
}

function Picture({ lock, keyEvents, blocked, onFree }: PictureProps) {
  if (lock === undefined) return <Looking />;
  return (
    <LockNow
      lock={lock}
      ending={keyEvents.ending}
      blocked={blocked}
      onFree={(holder) => onFree({ lock, holder })}
    />
  );
}

function Looking() {
  return <p className="rounded-[10px] border border-line bg-panel p-4 text-ink-3">Looking…</p>;
}

function useFreeBlocked(lock: Lock | undefined): string | null {
  const block = useFreeBlock();
  if (block !== null) return block;
  if (lock === undefined || lock.holders.length === 0) return "Nobody holds this lock.";
  return neverFreed(lock);
}

function Title({ lockKey }: { lockKey: Key }) {
  const { namespace, rest } = splitKey(textOfKey(lockKey));
  return (
    <h1 dir="ltr" className="min-w-64 flex-1 font-mono text-lg break-all">
      <span className="text-ink-3">
        <SafeText text={namespace} wrap />
      </span>
      <span className="font-semibold">
        <SafeText text={rest} wrap />
      </span>
    </h1>
  );
}

function Copies({ lockKey, type }: { lockKey: Key; type: Lock["type"] }) {
  return (
    <>
      <CopyButton text={textOfKey(lockKey)} label="Copy the key">
        Key
      </CopyButton>
      <LazyCopy label="Copy as curl" text={(origin) => curlCommand(origin, lockKey)}>
        curl
      </LazyCopy>
      <CopyButton text={redisCliCommand(lockKey, type)} label="Copy as redis-cli">
        redis-cli
      </CopyButton>
    </>
  );
}

/** The origin is known in the browser only. */
function LazyCopy({
  label,
  text,
  children,
}: {
  label: string;
  text(origin: string): string;
  children: string;
}) {
  const origin = typeof location === "undefined" ? "" : location.origin;
  return (
    <CopyButton text={text(origin)} label={label}>
      {children}
    </CopyButton>
  );
}

function Back() {
  return (
    <TargetLink href="/" className="inline-flex items-center gap-1 self-start text-ink-2 hover:text-ink">
      <ChevronLeft aria-hidden size={14} />
      All locks
    </TargetLink>
  );
}
