"use client";

import { ChevronLeft } from "lucide-react";
import Link from "next/link";
import { buildListHref } from "@/components/app/list-return.ts";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { formatKey, type Key } from "@/lib/keys/key.ts";
import { useTargetName } from "@/lib/queries/targets.ts";
import { splitKey } from "../lock-facts/lock-texts.ts";
import { CopyLockButton } from "./copy-lock.tsx";

/** Shows the key with a button that copies it and a button for other copy actions. */
export function LockTitle({ lockKey, lock }: { lockKey: Key; lock: Lock | undefined }) {
  const { namespace, rest } = splitKey(formatKey(lockKey));
  return (
    <div className="flex min-w-64 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
      <h1 id="lock-title" tabIndex={-1} dir="ltr" className="font-mono text-lg break-all">
        <span className="text-ink-3">
          <SafeText text={namespace} wrap />
        </span>
        <span className="font-semibold">
          <SafeText text={rest} wrap />
        </span>
      </h1>
      <CopyKeyButtons lockKey={lockKey} lock={lock} />
    </div>
  );
}

function CopyKeyButtons({ lockKey, lock }: { lockKey: Key; lock: Lock | undefined }) {
  const messages = useMessages(lockPage);
  return (
    <div className="flex flex-wrap gap-1">
      <CopyButton text={formatKey(lockKey)} label={messages.copyKey}>
        {messages.key}
      </CopyButton>
      <CopyLockButton lockKey={lockKey} lock={lock} />
    </div>
  );
}

/** Shows a link back to the list of locks, which restores the last search and scroll position. */
export function BackToListLink() {
  const messages = useMessages(lockPage);
  return (
    <Link
      href={buildListHref(useTargetName())}
      className="inline-flex min-h-6 items-center gap-1 self-start text-ink-2 hover:text-ink"
    >
      <ChevronLeft aria-hidden size={14} />
      {messages.allLocks}
    </Link>
  );
}
