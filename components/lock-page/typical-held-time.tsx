"use client";

import { formatNumber, formatSpan } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { lockPage } from "@/lib/i18n/en/lock-page.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useTypicalDurations } from "@/lib/queries/typical-durations.ts";
import { selectSufficientSamples } from "../lock-facts/duration-rating.ts";

/** How long locks of this name are held as a rule, where that is known. */
export function TypicalHeldTime({ path }: { path: string }) {
  const messages = useMessages(lockPage);
  const typical = useTypicalDurations(path);
  const held = selectSufficientSamples(typical?.heldMs);
  if (typical === undefined || held === undefined) return null;
  return (
    <div className="text-xs leading-4 font-normal tracking-normal text-ink-3" data-testid="typically-held">
      {messages.typicallyHeld(formatSpan(held.p50), formatSpan(held.p95))}
      <span className="sr-only">
        {messages.typicallyHeldBy(
          formatNumber(Math.round(held.samples)),
          <SafeText text={typical.pattern} />,
        )}
      </span>
    </div>
  );
}
