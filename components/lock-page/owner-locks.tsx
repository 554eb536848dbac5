"use client";

import Link from "next/link";
import { useRef, useState } from "react";
import { TargetLink } from "@/components/app/target-link.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Holder, Lock } from "@/lib/contract/lock.ts";
import { lock as lockWords } from "@/lib/i18n/en/lock.tsx";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { type Key, parseKeyFields } from "@/lib/keys/key.ts";
import { useOwnerLocks } from "@/lib/queries/owners.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { formatExactTerm } from "@/lib/query/filter.ts";
import { isOwnerUnknown } from "../lock-facts/holder-text.tsx";
import { KeyText } from "../lock-facts/key-text.tsx";
import { buildLockHref, toLockPath } from "../lock-facts/lock-path.ts";
import { HeldFor } from "../lock-facts/lock-times.tsx";
import { formatOwner } from "../lock-facts/owner-text.ts";

const BulkReleaseSheet = createLazyOverlay(() =>
  import("@/components/release/bulk/bulk-release-sheet.tsx").then((module) => module.BulkReleaseSheet),
);

/** Maximum number of owners whose other locks are listed. */
const OWNERS_MAX = 3;
const SHOWN_LOCKS_MAX = 6;

interface OwnerLocksSectionProps {
  lock: Lock | undefined;
  /** Returns the element to focus after the release dialog if the button that opened the dialog has disappeared. */
  focusAfter(): HTMLElement | null;
}

/** Lists other locks with the same owners, because a holder that crashed often leaves several locks behind. */
export function OwnerLocksSection({ lock, focusAfter }: OwnerLocksSectionProps) {
  // Stored here and not in `OwnerLocks`, so that the dialog stays open even if the release removes the whole list.
  const [ownerToRelease, setOwnerToRelease] = useState<string | null>(null);
  const from = useRef<HTMLElement | null>(null);
  // Omits owner strings that identify no client, such as a constant. Equal constants do not imply the same owner.
  const identified = lock?.holders.filter((holder) => !isOwnerUnknown(holder));
  const owners = new Set(identified?.map(getHolderKey));
  return (
    <>
      {lock !== undefined &&
        [...owners].slice(0, OWNERS_MAX).map((owner) => (
          <OwnerLocks
            key={owner}
            owner={owner}
            here={toLockPath(lock)}
            onRelease={(filter, button) => {
              from.current = button;
              setOwnerToRelease(filter);
            }}
          />
        ))}
      {ownerToRelease !== null && (
        <BulkReleaseSheet
          selection={{ filter: ownerToRelease }}
          onClose={() => setOwnerToRelease(null)}
          finalFocus={() => (from.current?.isConnected ? from.current : focusAfter())}
        />
      )}
    </>
  );
}

function getHolderKey({ owner, ownerBase64 }: Holder): Key {
  return parseKeyFields({ key: owner, ...(ownerBase64 === undefined ? {} : { keyBase64: ownerBase64 }) });
}

interface OwnerLocksProps {
  owner: Key;
  /** The path of the lock on this page, which the list omits. */
  here: string;
  onRelease(filter: string, button: HTMLElement): void;
}

function OwnerLocks({ owner, here, onRelease }: OwnerLocksProps) {
  const messages = useMessages(lockParts).owner;
  const shared = useMessages(lockWords);
  const filter = formatExactTerm("owner", owner);
  const blocked = useReleaseBlockedReason();
  const { data } = useOwnerLocks(filter, SHOWN_LOCKS_MAX + 1);
  const others = data?.items.filter((lock) => toLockPath(lock) !== here) ?? [];
  if (data === undefined || others.length === 0) return null;
  const count = data.total - (data.items.length - others.length);
  const shown = others.slice(0, SHOWN_LOCKS_MAX);
  return (
    <Section
      title={messages.title(count, formatNumber(count))}
      text={
        <span className="font-mono text-xs">
          <SafeText
            text={formatOwner(
              data.items[0]?.holders.find((each) => getHolderKey(each) === owner)?.owner ?? "",
              shared,
            )}
            wrap
          />
        </span>
      }
      actions={
        <Button
          blocked={blocked}
          title={messages.releaseAllHint}
          onClick={({ currentTarget }) => onRelease(filter, currentTarget)}
        >
          {messages.releaseAll}
        </Button>
      }
    >
      <ul className="px-4 py-2">
        {shown.map((lock) => (
          <OwnerLockRow key={toLockPath(lock)} lock={lock} owner={owner} />
        ))}
      </ul>
      {count > shown.length && <ReleaseAllButton filter={filter} />}
    </Section>
  );
}

function OwnerLockRow({ lock, owner }: { lock: Lock; owner: Key }) {
  const messages = useMessages(lockParts).owner;
  return (
    <li className="flex min-h-7 items-center gap-3 text-xs">
      <TargetLink href={buildLockHref(lock)} prefetch={false} className="min-w-0 flex-1 hover:underline">
        <KeyText text={lock.key} />
      </TargetLink>
      <span className="shrink-0 text-ink-2">
        <span className="sr-only">{messages.heldFor}</span>
        <HeldFor holder={lock.holders.find((each) => getHolderKey(each) === owner)} />
      </span>
    </li>
  );
}

function ReleaseAllButton({ filter }: { filter: string }) {
  const messages = useMessages(lockParts).owner;
  const target = useTargetName();
  const query = new URLSearchParams({ q: filter, ...(target === undefined ? {} : { target }) });
  return (
    <p className="px-4 pb-3">
      <Link
        href={`/?${query}`}
        prefetch={false}
        className="text-ink-2 underline decoration-line hover:text-ink"
      >
        {messages.showAll}
      </Link>
    </p>
  );
}
