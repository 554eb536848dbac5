"use client";

import { HolderCell } from "@/components/lock-facts/holder-text.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { lockKinds } from "@/lib/i18n/en/lock-kinds.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { describeKind, summarizeHolders } from "./kind-summary.ts";

/** Shows the holder of a lock, or a summary of its holders, with the kind of the lock on the second line. */
export function KindHolderCell({ lock }: { lock: Lock }) {
  const messages = useMessages(lockKinds);
  return (
    <HolderCell
      holders={lock.holders}
      isUnreadable={lock.unreadable !== undefined}
      summary={summarizeHolders(lock, messages)}
      kind={describeKind(lock, messages)}
      // The holder of a latch is only a count. Its owner string identifies no client.
      isNamed={lock.kind !== "latch"}
    />
  );
}
