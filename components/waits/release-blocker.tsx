"use client";

import { useState } from "react";
import { TargetLink } from "@/components/app/target-link.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { buildLockHref, toLockPath } from "@/components/lock-facts/lock-path.ts";
import { shortenOwner } from "@/components/lock-facts/owner-text.ts";
import { Button } from "@/components/ui/button.tsx";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { waits } from "@/lib/i18n/en/waits.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { KeyFields } from "@/lib/keys/key.ts";
import { useLockSubscription } from "@/lib/live/hooks.ts";
import { useLock } from "@/lib/live/live-cache.ts";

const ReleaseSheet = createLazyOverlay(() =>
  import("@/components/release/release-sheet.tsx").then((module) => module.ReleaseSheet),
);

/** The lock that an operator wants to release, and the button that receives focus when the dialog closes. */
export interface LockToRelease {
  readonly path: string;
  readonly from: HTMLElement;
}

interface ReleaseBlockerButtonProps {
  fields: KeyFields;
  owner: string;
  holders: number;
  onRelease(lock: LockToRelease): void;
}

/**
 * Renders a button that opens the release dialog of a blocking lock. If the lock has several holders, links to the page
 * of the lock instead, where the operator selects a holder.
 */
export function ReleaseBlockerButton({ fields, owner, holders, onRelease }: ReleaseBlockerButtonProps) {
  const messages = useMessages(waits);
  const blocked = useReleaseBlockedReason();
  const key = toVisibleText(fields.key);
  if (holders > 1) {
    return (
      <TargetLink
        href={buildLockHref(fields)}
        aria-label={messages.selectHolderOf(key)}
        className="inline-flex h-6 shrink-0 items-center rounded-[7px] border border-line px-2 hover:bg-line-soft max-sm:min-h-11"
      >
        {messages.selectHolder}
      </TargetLink>
    );
  }
  return (
    <Button
      size="small"
      variant="danger-outline"
      blocked={blocked}
      aria-label={messages.releaseOf(key, toVisibleText(shortenOwner(owner)))}
      onClick={({ currentTarget }) => onRelease({ path: toLockPath(fields), from: currentTarget })}
    >
      {messages.release}
    </Button>
  );
}

interface BlockerReleaseProps extends LockToRelease {
  onClose(): void;
}

/** Loads the current state of the lock, and then shows the release dialog. */
export function BlockerRelease({ path, from, onClose }: BlockerReleaseProps) {
  useLockSubscription(path);
  const current = useLock(path);
  // The cache can contain an outdated lock from an earlier visit to its page. The stream sends the lock again after each
  // new subscription, as a new object. The subscription is new because no other part of the page subscribes to a lock.
  const [cached] = useState(current);
  const [opened, setOpened] = useState<Lock>();
  // Keeps the lock as it was when the dialog opened, because the dialog compares that state with later states.
  if (opened === undefined && current !== undefined && current !== cached) setOpened(current);
  if (opened === undefined) return null;
  return <ReleaseSheet lock={opened} onClose={onClose} finalFocus={() => (from.isConnected ? from : null)} />;
}
