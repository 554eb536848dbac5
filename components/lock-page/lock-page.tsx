"use client";

import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useCommands } from "@/components/app/command-registry.tsx";
import { Greyed } from "@/components/app/stale-overlay.tsx";
import { useFreeBlock } from "@/components/app/use-blocked-reason.ts";
import { useKeyEvents } from "@/components/events/key-history/use-key-events.ts";
import type { Looked } from "@/components/release/release-state.ts";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { Boundary } from "@/components/ui/error-boundary.tsx";
import { useKeys } from "@/components/ui/use-shortcuts.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { shell } from "@/lib/i18n/en/shell.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { type Key, keyOfPath, pathOfKey } from "@/lib/keys/key.ts";
import { useShowLock } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/live-cache.ts";
import { neverFreed } from "../lock-facts/release-text.ts";
import { BackToList, LockTitle } from "./lock-header.tsx";
import { LockSkeleton } from "./lock-skeleton.tsx";

const FreeSheet = dynamic(
  () => import("@/components/release/release-sheet.tsx").then((module) => module.FreeSheet),
  {
    ssr: false,
  },
);

/** What is known of a lock comes later than its page: what shows it is on its way while it is. */
const loadBody = () => import("./lock-body.tsx").then((module) => module.LockBody);
const LockBody = dynamic(loadBody, { ssr: false, loading: () => <LockSkeleton label="" /> });
const loadActions = () => import("./lock-actions.tsx").then((module) => module.LockActions);
const LockActions = dynamic(loadActions, { ssr: false });

export function LockPage() {
  const words = useWords(lockPage);
  useEffect(() => {
    void loadBody();
    void loadActions();
  }, []);
  // The raw segment: a decoded one could not tell `a%2Fb` from `a/b`.
  const segment = usePathname().slice("/locks/".length);
  const parsed = keyOfPath(segment);
  if (!parsed.ok) {
    return (
      <EmptyState page title={words.noKey}>
        <p>{parsed.why}</p>
        <BackToList />
      </EmptyState>
    );
  }
  return <OneLock key={segment} lockKey={parsed.key} />;
}

function OneLock({ lockKey }: { lockKey: Key }) {
  const words = useWords(lockPage);
  const parts = useWords(shell).parts;
  const path = pathOfKey(lockKey);
  useShowLock(path);
  const lock = useLock(path);
  const history = useKeyEvents(path);
  const [freeing, setFreeing] = useState<Looked | null>(null);
  const actions = useRef<HTMLDivElement>(null);
  const blocked = useFreeBlocked(lock);
  const free = () => blocked === null && lock !== undefined && setFreeing({ lock });
  useKeys({ r: free });
  useCommands([{ id: "lock:free", name: words.free, keys: "r", blocked, run: free }]);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Greyed className="mx-auto flex max-w-[1080px] flex-col gap-4 px-3 pt-4 pb-20 sm:px-5 sm:pb-6 min-[1600px]:max-w-[1720px]">
        <BackToList />
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <LockTitle lockKey={lockKey} lock={lock} />
          <div
            ref={actions}
            className="flex gap-2 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-20 max-sm:border-t max-sm:border-line max-sm:bg-panel max-sm:px-3 max-sm:py-2 max-sm:*:flex-1"
          >
            {lock !== undefined && <LockActions lock={lock} />}
            <FreeButton blocked={blocked} onFree={free} />
          </div>
        </div>
        <Blocked lock={lock} blocked={blocked} />
        <LockBody
          lockKey={lockKey}
          lock={lock}
          history={history}
          blocked={blocked}
          onFree={(holder) => lock !== undefined && setFreeing({ lock, holder })}
        />
      </Greyed>
      {freeing !== null && (
        <Boundary name={parts.free} place="overlay">
          <FreeSheet
            lock={freeing.lock}
            holder={freeing.holder}
            onClose={() => setFreeing(null)}
            finalFocus={() => actions.current?.querySelector<HTMLElement>("button:last-of-type") ?? null}
          />
        </Boundary>
      )}
    </div>
  );
}

function FreeButton({ blocked, onFree }: { blocked: string | null; onFree(): void }) {
  const words = useWords(lockPage);
  return (
    <Button blocked={blocked} onClick={onFree} title={words.freeWithKey}>
      {words.free}
    </Button>
  );
}

/** A title is seen by who points at it: what keeps a held lock from being freed stands there for everybody. */
function Blocked({ lock, blocked }: { lock: Lock | undefined; blocked: string | null }) {
  const words = useWords(lockPage);
  if (blocked === null || lock === undefined || lock.holders.length === 0) return null;
  return <p className="-mt-1 text-ink-2 sm:text-right">{words.cannotFree(blocked)}</p>;
}

function useFreeBlocked(lock: Lock | undefined): string | null {
  const words = useWords(lockPage);
  const known = useWords(lockWords);
  const block = useFreeBlock();
  if (block !== null) return block;
  if (lock === undefined || lock.holders.length === 0) return words.nobodyHolds;
  return neverFreed(lock, known);
}
