"use client";

import clsx from "clsx";
import { HeldFor } from "@/components/lock-facts/lock-times.tsx";
import { formatTypicalDuration, isLongerThanTypical } from "@/components/lock-facts/typical-duration.ts";
import { formatSpan } from "@/components/ui/format-duration.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { lock as english } from "@/lib/i18n/en/lock.tsx";
import { table } from "@/lib/i18n/en/table.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { parseKeyFields } from "@/lib/keys/key.ts";
import { useServerNow } from "@/lib/live/hooks.ts";
import { useTypicalHeldTime } from "@/lib/queries/typical-held-times.ts";

/** Shows the hold time and the typical hold time. Colors the hold time if it exceeds the p95 of the key pattern. */
export function HeldTimeCell({ lock }: { lock: Lock }) {
  const messages = useMessages(table);
  const lockMessages = useMessages(english);
  const now = useServerNow();
  const typical = useTypicalHeldTime(parseKeyFields(lock));
  return (
    <span className="block leading-[1.25]">
      <span className={clsx("block", isLongerThanTypical(lock, typical, now) && "font-medium text-warn")}>
        <HeldFor holder={lock.holders[0]} />
      </span>
      {typical !== undefined && formatTypicalDuration(typical, lockMessages) !== "" && (
        <span
          className="block truncate text-2xs text-ink-3"
          data-testid="typical"
          data-second
          title={messages.typicalMeans(
            formatSpan(typical.p50, lockMessages),
            formatSpan(typical.p95, lockMessages),
          )}
        >
          {formatTypicalDuration(typical, lockMessages)}
        </span>
      )}
    </span>
  );
}
