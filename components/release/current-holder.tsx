"use client";

import { HolderName } from "@/components/lock-facts/holder-text.tsx";
import { parseReservedHold } from "@/components/lock-facts/lock-texts.ts";
import { HeldFor } from "@/components/lock-facts/lock-times.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import { release as english } from "@/lib/i18n/en/release.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/**
 * Shows the holder of a lock, how long it has held the lock, and the number of other holders. Omits the hold time of a
 * reservation.
 */
export function CurrentHolder({ lock }: { lock: Lock | undefined }) {
  const messages = useMessages(english);
  const [holder, ...others] = lock?.holders ?? [];
  if (holder === undefined) return <>{messages.noHolder}</>;
  return (
    <>
      <HolderName holder={holder} wrap />
      {parseReservedHold(holder.owner) === null && messages.sinceThen(<HeldFor holder={holder} />)}
      {others.length > 0 && ` ${messages.andMore(others.length)}`}
    </>
  );
}
